"""The embedded backbone's weights in torch, with a LoRA adapter on them. Needs the extra `finetune`.

The weights come out of the packaged GGUF file, so what is trained on is what llama.cpp runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.errors import InputError
from optimizers.finetune.examples import Example
from optimizers.finetune.gguf_file import MODULES, Heads, write_adapter
from program.lm.embedded import laid_out

_ADAPTED = re.compile(r"\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])\.")
_NO_LOSS = -100


@dataclass(frozen=True)
class LoraShape:
    """rank: of the two matrices; the product is scaled by alpha / rank. dropout: share of the inputs that is left out."""

    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.05


def need_torch() -> None:
    """Check that the extra is installed.

    Raises:
        InputError: it is not.
    """
    try:
        import gguf  # noqa: F401
        import peft  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise InputError(f"fine-tuning needs {error.name}", hint="pip install 'melo[finetune]'") from error


class TorchModel:
    """A backbone to train. Only the adapter's weights change.

    Args:
        brain: its name; weights: its GGUF file. threads: of torch.
    """

    def __init__(self, brain: str, weights: Path, shape: LoraShape, *, threads: int) -> None:
        import peft
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(threads)
        self.brain, self.shape = brain, shape
        at: dict[str, Any] = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
        self.tokenizer = AutoTokenizer.from_pretrained(**at)
        base = AutoModelForCausalLM.from_pretrained(**at, dtype=torch.bfloat16)
        self.heads = Heads(base.config.num_attention_heads, base.config.num_key_value_heads)
        lora = peft.LoraConfig(
            r=shape.rank, lora_alpha=shape.alpha, lora_dropout=shape.dropout, target_modules=list(MODULES), task_type="CAUSAL_LM"
        )
        self.net = peft.get_peft_model(base, lora)

    @property
    def trained(self) -> list[Any]:
        """The parameters that change."""
        return [parameter for parameter in self.net.parameters() if parameter.requires_grad]

    def encode(self, one: Example) -> tuple[list[int], int]:
        """Token ids of prompt and answer, and how many of them are the prompt's."""
        prompt = self.tokenizer(laid_out(self.brain, "", [("user", one.prompt)]), add_special_tokens=False)["input_ids"]
        answer = self.tokenizer(one.answer, add_special_tokens=False)["input_ids"]
        return [*prompt, *answer, self.tokenizer.eos_token_id], len(prompt)

    def loss(self, batch: Sequence[tuple[list[int], int]]) -> Any:
        """Mean cross-entropy of the answers' tokens, a scalar tensor."""
        import torch

        longest = max(len(ids) for ids, _ in batch)
        ids = torch.full((len(batch), longest), self.tokenizer.eos_token_id)
        mask = torch.zeros(len(batch), longest, dtype=torch.long)
        labels = torch.full((len(batch), longest), _NO_LOSS)
        for row, (tokens, prompt) in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
            labels[row, prompt : len(tokens)] = torch.tensor(tokens[prompt:])
        model = self.net.base_model.model
        hidden = model.model(input_ids=ids, attention_mask=mask).last_hidden_state[:, :-1]
        wanted = labels[:, 1:] != _NO_LOSS  # only answers need the large output matrix
        return torch.nn.functional.cross_entropy(model.lm_head(hidden[wanted]).float(), labels[:, 1:][wanted])

    def state(self) -> dict[str, Any]:
        """The adapter's tensors by name."""
        return {name: value.detach().clone() for name, value in self.net.named_parameters() if value.requires_grad}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a state."""
        self.net.load_state_dict(state, strict=False)

    def write(self, path: Path) -> None:
        """The adapter as a GGUF file."""
        halves: dict[tuple[int, str], dict[str, Any]] = {}
        for name, value in self.state().items():
            found = _ADAPTED.search(name)
            assert found is not None, name
            halves.setdefault((int(found[1]), found[2]), {})[found[3]] = value.float().numpy()
        write_adapter(path, {key: (one["A"], one["B"]) for key, one in halves.items()}, self.heads, self.shape.alpha)
