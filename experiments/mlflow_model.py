"""The MLflow flavour of a bundle: a model that is loaded by code, from the bundle's files, and never unpickled.

MLflow keeps a copy of `mlflow_code.py`, which imports this module, and the bundle as an artifact. The catalog is the server's:
`MELO_CATALOG`, else the demo. Keys come from the server's environment.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import dspy
from pandas import DataFrame  # type: ignore[import-untyped]

from data.errors import BundleError, InfrastructureError
from experiments.bundles import warn
from experiments.commands.places import open_index
from program.bundle.files import Bundle, load_bundle, save_bundle
from program.bundle.secrets import refuse_secrets
from program.graph import Melo
from program.lm.backbones import resolve
from program.lm.environment import private_defaults
from program.memory import settle

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # MLflow warns of type hints in its own classes
    from mlflow.pyfunc import save_model as save_pyfunc
    from mlflow.pyfunc.model import PythonModel

_CODE = Path(__file__).with_name("mlflow_code.py")
_ARTIFACT = "bundle"
_REQUIREMENTS = ("mlflow", "dspy")
_BINARY = ".gguf"


class BundleModel(PythonModel):
    """Answers a table of requests: `request`, and `n` where a size is wanted."""

    def load_context(self, context: Any) -> None:
        """Read the bundle, open the catalog and make the program."""
        private_defaults()
        dspy.configure(disable_history=True, max_trace_size=0)
        bundle = load_bundle(Path(context.artifacts[_ARTIFACT]))
        index = open_index(None)
        warn(bundle, index.info.content_hash)
        index.warm()  # a process that ends while a native library loads in a thread dies of it
        self._melo = Melo(index, bundle.settings, texts=bundle.state, backbones=bundle.resolver(resolve))
        settle()

    def predict(self, context: Any, model_input: DataFrame, params: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """A playlist a row, with its intent and plan, as `melo ask --json` prints them."""
        return [self._answer(row) for row in model_input.to_dict(orient="records")]

    def _answer(self, row: dict[str, Any]) -> dict[str, Any]:
        size = row.get("n")
        prediction = self._melo(request=str(row["request"]), n=None if size is None or size != size else int(size))
        parts = {"intent": prediction.intent, "plan": prediction.plan}
        answer: dict[str, Any] = prediction.playlist.model_dump(mode="json", by_alias=True)
        return answer | {name: part.model_dump(mode="json", by_alias=True) if part else None for name, part in parts.items()}


def save_model(folder: Path, bundle: Bundle, *, force: bool = False) -> Path:
    """Write the MLflow model of a bundle; nothing is asked and nothing is downloaded for it.

    Raises:
        BundleError: something is there already, or a file would hold a secret.
        InfrastructureError: MLflow or the disk fails. What was there stays.
    """
    from mlflow.exceptions import MlflowException
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, Schema

    if folder.exists() and not force:
        raise BundleError(f"{folder} is there already", hint="--force takes its place, --out names another")
    logging.getLogger("mlflow").setLevel(logging.ERROR)
    inputs = Schema([ColSpec("string", "request"), ColSpec("long", "n", required=False)])
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as work:
            kept = save_bundle(Path(work) / _ARTIFACT, bundle)
            made = Path(work) / "model"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                save_pyfunc(
                    made, python_model=str(_CODE), artifacts={_ARTIFACT: str(kept)}, signature=ModelSignature(inputs=inputs),
                    pip_requirements=[f"{name}=={bundle.versions[name]}" for name in _REQUIREMENTS if name in bundle.versions],
                    metadata={"melo_bundle": bundle.name, "melo_program": bundle.program_hash},
                )  # fmt: skip
            _forget_places(made, Path(work))
            if folder.exists():
                shutil.rmtree(folder)
            made.rename(folder)
    except (OSError, MlflowException) as error:
        raise InfrastructureError(f"cannot write the MLflow model {folder}: {str(error).splitlines()[0]}") from error
    return folder


def _forget_places(model: Path, work: Path) -> None:
    """Take this machine's paths out of what MLflow wrote, and look for secrets."""
    described = model / "MLmodel"
    text = described.read_text(encoding="utf-8")
    for path in (str(work / _ARTIFACT), str(_CODE)):
        text = text.replace(path, Path(path).name)
    described.write_text(text, encoding="utf-8")
    files = {str(path.relative_to(model)): path for path in model.rglob("*") if path.is_file()}
    if strange := [name for name in files if name.endswith((".pkl", ".pickle", ".cloudpickle"))]:
        raise BundleError(f"MLflow wrote a pickle: {strange[0]}")
    contents = {name: path.read_bytes() for name, path in files.items() if path.suffix != ".py"}
    refuse_secrets(contents, dict(os.environ), binary=[name for name in contents if name.endswith(_BINARY)])
