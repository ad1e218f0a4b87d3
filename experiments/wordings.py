"""`python -m experiments.wordings`: how many names are read right, whatever words people put around them.

Each wording is filled with names of the catalog, so that what a careful person would understand is known by construction.
Wordings are split in two halves by a seed: rules are repaired on the first, the second says whether the repairs carry over.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, cast

import typer

from data.contracts import EntityRef, Role
from data.labelled import LabelledEntity
from experiments.commands.places import open_index
from experiments.wording_names import Drawn, Names
from optimizers.compare import entity_mistakes
from optimizers.naming import mistake_of
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings

Half = Literal["first", "second", "all"]
_PLACE = re.compile(r"\{(?P<sign>[-~?]?)(?P<kind>artist|title|album|owner|own)(?P<second>2?)\}")
_ROLES: dict[str, Role] = {"": "target", "-": "exclude", "~": "seed", "?": "target"}
_MARKED = re.compile(r"(?:\bby |\bartist |\balbum |\bsong |\bcalled |[\"《]|'s )\{[^}]*\}|\{owner\}")
"""A place whose words or signs say that a name stands there, so that even "Hello" is one."""
_SPLIT_SEED = 20_261_201


@dataclass(frozen=True)
class Wording:
    """A request with places for names; without any, nobody is named."""

    language: str
    text: str

    @property
    def is_marked(self) -> bool:
        """Whether something says of each place that a name stands there."""
        return bool(_PLACE.search(self.text)) and not _PLACE.search(_MARKED.sub("", self.text))


@dataclass(frozen=True)
class Case:
    """A filled wording with its label; of an open name target and seed are both right."""

    wording: Wording
    request: str
    names: tuple[LabelledEntity, ...]
    open_ids: frozenset[str] = frozenset()


def load_wordings(half: Half = "all", file: Path | None = None) -> list[Wording]:
    """The wordings of one half, or all, in the order of the file; the packaged one unless another is given."""
    source = file or resources.files("experiments") / "wordings.toml"
    text = source.read_text(encoding="utf-8")
    found = [
        Wording(language, words)
        for language, lists in tomllib.loads(text).items() for words in (*lists["named"], *lists["nameless"])
    ]  # fmt: skip
    order = list(range(len(found)))
    Random(_SPLIT_SEED).shuffle(order)
    chosen = {"first": order[: len(order) // 2], "second": order[len(order) // 2 :], "all": order}[half]
    return [found[position] for position in sorted(chosen)]


def filled(wording: Wording, names: Names) -> Case | None:
    """The wording with drawn names; None where the catalog has no fitting ones."""
    drawn = _draw(wording, names)
    if drawn is None:
        return None
    small = not re.search(r"[A-ZÄÖÜÀ-Þ]", _PLACE.sub("", wording.text))
    labels: list[LabelledEntity] = []
    open_ids: set[str] = set()

    def put(match: re.Match[str]) -> str:
        name = drawn[match["kind"] + match["second"]]
        surface = name.surface.lower() if small else name.surface
        context = match["kind"] == "owner"
        role: Role = "context" if context else _ROLES[match["sign"]]
        labels.append(LabelledEntity(entity_type=name.entity_type, ids=name.ids, role=role, surface=surface, optional=context))
        open_ids.update(name.ids if match["sign"] == "?" else ())
        return surface

    request = _PLACE.sub(put, wording.text)
    return Case(wording, request, tuple(labels), frozenset(open_ids))


def _draw(wording: Wording, names: Names) -> dict[str, Drawn] | None:
    """A name for each place; `owner` and `own` belong to the name beside them."""
    places = [match["kind"] + match["second"] for match in _PLACE.finditer(wording.text)]
    drawn: dict[str, Drawn] = {}
    for place in sorted(places, key=lambda place: place in ("owner", "own")):
        found = _name(place, places, drawn, names, wording.language)
        if found is None or any(found.ids == other.ids for other in drawn.values()):
            return None
        drawn[place] = found
    if "album" in drawn and "owner" in drawn:
        drawn["album"] = names.of_album(drawn["album"])
    return drawn


def _name(place: str, places: Sequence[str], drawn: dict[str, Drawn], names: Names, language: str) -> Drawn | None:
    if place == "owner":
        return names.name_of((drawn.get("title") or drawn["album"]).artist_id, language)
    if place == "own":
        return names.title(language, owned=True, artist_id=drawn["artist"].artist_id)
    if place.startswith("title"):
        return names.title(language, owned="owner" in places and place == "title")
    return names.album(language) if place.startswith("album") else names.artist(language)


def mistake(case: Case, used: Sequence[EntityRef]) -> str:
    """`none`, or the worst of what is `missing`, `extra` or `wrong` among the names that were used."""
    found = {entity.entity_id: entity.role for entity in used if entity.role in ("target", "seed")}
    labels = []
    for label in case.names:
        role = next((found[one] for one in label.ids if one in found and one in case.open_ids), label.role)
        labels.append(label.model_copy(update={"role": role}))
    return mistake_of(entity_mistakes(used, labels))


def cases(wordings: Sequence[Wording], names: Names, draws: int) -> Iterator[Case]:
    """Each wording `draws` times with other names; one without a place once."""
    for wording in wordings:
        for _ in range(draws if _PLACE.search(wording.text) else 1):
            case = filled(wording, names)
            if case is not None:
                yield case


def measured(index: EmbeddedIndex, wordings: Sequence[Wording], draws: int, seed: int, settings: Settings) -> dict[str, Any]:
    """Shares of requests with a name missing, extra or wrong; by group, by language and by wording."""
    tallies: dict[str, Counter[str]] = {}
    worst: dict[str, dict[str, Any]] = {}

    def count(group: str, kind: str) -> None:
        tallies.setdefault(group, Counter()).update((kind, "n"))

    common = Names(index, Random(seed + 1), everyday=True)
    marked = [wording for wording in wordings if wording.is_marked]
    for group, found in (
        ("names", cases(wordings, Names(index, Random(seed)), draws)),
        ("everyday names, marked", cases(marked, common, max(1, draws // 4))),
    ):
        for case in found:
            kind = mistake(case, understand_by_code(case.request, index, settings).best.intent.entities)
            named = bool(case.names)
            count(group if named else "no name", kind)
            if named and group == "names":
                count(f"names, {case.wording.language}", kind)
            if group == "names":
                _note(worst, case, kind)
    return {
        "wordings": len(wordings), "draws": draws, "seed": seed,
        "shares": {group: _shares(tally) for group, tally in tallies.items()},
        "by_wording": dict(sorted(worst.items(), key=lambda item: -item[1]["mistakes"])),
        "settings": settings.hash(), "catalog": index.info.content_hash,
    }  # fmt: skip


def _note(worst: dict[str, dict[str, Any]], case: Case, kind: str) -> None:
    if kind != "none":
        row = worst.setdefault(case.wording.text, {"mistakes": 0, "examples": []})
        row["mistakes"] += 1
        row["examples"].append([kind, case.request])


def _shares(tally: Counter[str]) -> dict[str, float]:
    kinds = ("missing", "extra", "wrong")
    shares = {kind: round(tally[kind] / tally["n"], 4) for kind in kinds}
    return {"n": tally["n"], "misread": round(1 - tally["none"] / tally["n"], 4), **shares}


def main(
    catalog: Annotated[Path | None, typer.Option(help="index folder; the demo catalog's by default")] = None,
    half: Annotated[str, typer.Option(help="first, second or all")] = "all",
    draws: Annotated[int, typer.Option(help="fillings of each wording", min=1)] = 20,
    seed: Annotated[int, typer.Option()] = 7,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    file: Annotated[Path | None, typer.Option(help="other wordings (TOML), laid out as wordings.toml")] = None,
    show: Annotated[bool, typer.Option(help="the wordings that are misread, with their requests")] = False,
) -> None:
    """Measure how names are read in wordings; prints one JSON object."""
    index = open_index(catalog)
    chosen = Settings() if settings is None else Settings.load(settings)
    wordings = load_wordings(cast(Half, half), file)
    found = {"half": half, **measured(index, wordings, draws, seed, chosen)}
    if not show:
        del found["by_wording"]
    typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
    index.close()


if __name__ == "__main__":
    typer.run(main)
