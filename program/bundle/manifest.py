"""What a bundle says of itself: format, files and their hashes, backbone, catalog, versions, training data and licences."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, ConfigDict, Field, ValidationError

from data.contracts import Contract
from data.errors import BundleError
from program.bundle.state import validation_reason

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
_BACKBONE = re.compile(r"none|[a-z][a-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9._:/+-]*")
_HEX = r"^[0-9a-f]{64}$"


def backbone_name(name: str) -> str:
    """The name, if it can be one: provider and model, never an address.

    Raises:
        ValueError: it holds an address, a key or anything else.
    """
    if not _BACKBONE.fullmatch(name) or "://" in name or "//" in name:
        raise ValueError("not the name of a backbone (PROVIDER/MODEL, without an address)")
    return name


BackboneName = Annotated[str, AfterValidator(backbone_name)]


class _Part(Contract):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(_Part):
    """Something that a bundle was made from. split: the part of it that was used."""

    name: str
    licence: str
    split: str = ""


class Adapted(_Part):
    """What an adapter was trained on: the weights (SHA-256 of their file) and the version of its prompt."""

    weights: str = Field(pattern=_HEX)
    prompt: int


class Manifest(_Part):
    """The content of `manifest.json`.

    Attributes:
        created: the day, ISO 8601.
        catalog: content hash of the catalog that it was tuned on, first 16 hex digits; empty where none was used.
        files: name → SHA-256. seal: SHA-256 of the manifest without its seal.
        versions: of Python and the libraries. trained_on: data. weights: models whose weights or words went in.
        recipe: how it was made, in a word or two. adapter: None, and not in the file, without one.
    """

    schema_version: Literal[1] = 1
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")
    backbone: BackboneName
    nodes: dict[Literal["understand", "plan", "reflect", "synthesize"], BackboneName] = Field(default_factory=dict)
    created: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")
    recipe: str = ""
    catalog: str = Field(default="", pattern=r"^[0-9a-f]{0,64}$")
    settings_hash: str
    versions: dict[str, str]
    trained_on: list[Source] = Field(default_factory=list)
    weights: list[Source] = Field(default_factory=list)
    adapter: Adapted | None = None
    files: dict[str, Annotated[str, Field(pattern=_HEX)]]
    seal: str = ""

    def sealed(self) -> Manifest:
        """The same with its seal."""
        return self.model_copy(update={"seal": _seal_of(self)})


def manifest_json(manifest: Manifest) -> bytes:
    """The file's bytes, the same for the same manifest."""
    return orjson.dumps(
        manifest.model_dump(mode="json", exclude_none=True), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def read_manifest(content: bytes, where: str) -> Manifest:
    """Read and check the manifest itself.

    Raises:
        BundleError: not JSON, of another schema version, with an unknown key, or changed after it was sealed.
    """
    data = _object(content, where)
    version = data.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        hint = "a newer Melo made it" if newer else "export it again"
        raise BundleError(f"{where}: schema version {version!r}; this Melo reads {SCHEMA_VERSION}", hint=hint)
    try:
        manifest = Manifest.model_validate(data)
    except ValidationError as error:
        raise BundleError(f"{where}: {validation_reason(error)}") from error
    if manifest.seal != _seal_of(manifest) or manifest_json(manifest) != content:
        raise BundleError(f"{where} was changed after it was sealed")
    return manifest


def _object(content: bytes, where: str) -> dict[str, Any]:
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BundleError(f"{where} is not JSON") from error
    if not isinstance(data, dict):
        raise BundleError(f"{where} is not a JSON object")
    return data


def _seal_of(manifest: Manifest) -> str:
    return hashlib.sha256(manifest_json(manifest.model_copy(update={"seal": ""}))).hexdigest()
