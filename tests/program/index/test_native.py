from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import program

ROOT = Path(program.__file__).parents[1]
NATIVE = {"onnxruntime", "usearch"}


def imported(path: Path) -> set[str]:
    """Top-level names of everything that a file imports, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_only_native_imports_them() -> None:
    """No other module imports the two libraries, so none can load them in the order that crashes."""
    layers = ["data", "signatures", "program", "optimizers", "experiments"]
    files = [path for layer in layers for path in (ROOT / layer).rglob("*.py")]

    assert {str(path.relative_to(ROOT)) for path in files if imported(path) & NATIVE} == {"program/index/native.py"}


@pytest.mark.parametrize("module", ["program.index.engine", "program.index.build"])
def test_order(module: str) -> None:
    """Whatever is imported first, onnxruntime is loaded before usearch, and both live in one process."""
    code = (
        f"import {module}, sys; loaded = list(sys.modules); "
        "print(loaded.index('onnxruntime') < loaded.index('usearch')); "
        "from program.index.native import InferenceSession, VectorIndex; print(len(VectorIndex(ndim=4)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stdout.split()) == (0, ["True", "0"])
