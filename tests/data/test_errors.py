from __future__ import annotations

import inspect

import pytest

import data.errors
from data.errors import (
    BackboneError,
    BudgetError,
    CatalogError,
    CatalogIndexError,
    InfrastructureError,
    InputError,
    LabelError,
    LMUnavailableError,
    MeloError,
    ModelOutputError,
    RequestError,
    RowError,
    SettingsError,
    StoreError,
    ToolFailedError,
)

CLASSES = [cls for _, cls in inspect.getmembers(data.errors, inspect.isclass) if issubclass(cls, MeloError)]


@pytest.mark.parametrize(
    ("cls", "parent"),
    [
        (InputError, MeloError),
        (RequestError, InputError),
        (CatalogError, InputError),
        (RowError, CatalogError),
        (CatalogIndexError, InputError),
        (SettingsError, InputError),
        (LabelError, InputError),
        (BackboneError, InputError),
        (ModelOutputError, MeloError),
        (InfrastructureError, MeloError),
        (LMUnavailableError, InfrastructureError),
        (ToolFailedError, InfrastructureError),
        (StoreError, InfrastructureError),
        (BudgetError, MeloError),
    ],
)
def test_tree(cls: type[MeloError], parent: type[MeloError]) -> None:
    """Each kind of fault hangs where its owner looks for it."""
    assert cls.__bases__ == (parent,)


def test_codes_are_stable_names() -> None:
    """Every class has a code of its own, a lower-case word that no other class has."""
    codes = [cls.__dict__["code"] for cls in CLASSES]

    assert len(codes) == len(set(codes)) == 16
    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.code)
def test_exit_codes(cls: type[MeloError]) -> None:
    """The caller's mistakes exit with 2, all other faults with 1."""
    assert cls.exit_code == (2 if issubclass(cls, InputError) else 1)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MeloError("no index"), "no index"),
        (MeloError("no index", hint="build one"), "no index (build one)"),
        (MeloError("two\nlines\t here", hint="do\n this"), "two lines here (do this)"),
    ],
)
def test_one_line(error: MeloError, line: str) -> None:
    """Message and way out are printed on one line, whatever a library put into them."""
    assert error.one_line() == line


def test_structured_fields() -> None:
    """What the tree's users branch on is a field, not a part of the message."""
    assert (RowError("bad", row=3, field="year").row, RowError("bad", row=3).field) == (3, "")
    assert ModelOutputError("bad", assertion="schema").assertion == "schema"
    assert BudgetError("spent", resource="tokens").resource == "tokens"
    assert str(MeloError("what", hint="way out")) == "what"
