"""The labelled sets' rows: a request as people type it, and what a careful person would want back.

A row says four things: which names are meant, which repair is right when too little is found, what goes wrong without
defences, and which tracks of the catalog are right. `data/sets/DATASHEET.md` has the guideline, `data/grading.py` grades
tracks, `python -m data.sets.check` proves every label against the demo catalog.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from data.contracts import Contract, EntityType, Facet, Op, Role, Strength
from data.errors import LabelError

if TYPE_CHECKING:
    from datasets import Dataset

SetName = Literal["entity", "longtail", "regular"]
Split = Literal["train", "dev", "test"]
EntityKind = Literal[
    "homonym", "possessive", "verb_prefix", "negation", "alias", "artist_as_tag", "absent", "misspelt"
]  # fmt: skip
LongtailKind = Literal[
    "multi_constraint", "complex_negation", "niche_artist", "cross_era_genre", "abstract_scene", "lyric", "precise_fuzzy"
]  # fmt: skip
RegularKind = Literal["exact", "tag_emotion", "personal"]
Kind = EntityKind | LongtailKind | RegularKind
KINDS: dict[SetName, tuple[str, ...]] = {
    "entity": get_args(EntityKind),
    "longtail": get_args(LongtailKind),
    "regular": get_args(RegularKind),
}
RetryAction = Literal["none", "relaxed", "rewrite", "fallback", "clarify"]
Answer = Literal["ask", "any_reading", "all_readings"]
FailureMode = Literal[
    "none",  # nothing should go wrong: the floor
    "wrong_namesake",  # another entity of the same name is taken
    "wrong_type",  # a title is taken for an artist or an album, or the other way round
    "wrong_split",  # the words are cut at the wrong place: A's B, B by A, A的B
    "command_as_name",  # the command's own words become a title
    "excluded_played",  # what was ruled out comes back as wanted
    "alias_missed",  # nothing is found under the name used
    "misspelling_missed",  # nothing, or something else, is found for a misspelt name
    "name_as_facet",  # a name made of everyday words is read as a genre, mood or place
    "facet_as_name",  # everyday words are read as a name
    "absent_replaced",  # something else is played for a name that the catalog lacks
    "version_mismatch",  # a cover, remix or live take comes for the original, or the original for the take
    "constraint_dropped",  # a condition is lost without a word
    "negation_dropped",  # an excluded facet is lost or turned round
    "empty_result",  # all conditions at once leave too little, and that is the answer
    "generic_list",  # well-known tracks come that have nothing to do with the request
    "words_as_title",  # remembered words or a theme are matched to titles only, or not at all
    "scene_lost",  # a scene or feeling that no vocabulary word names is lost
    "ambiguity_hidden",  # one reading is taken silently where nobody can know
    "personal_ignored",  # the listener's own set is not used
]
ConditionField = Literal[
    "track", "artist", "album", "title", "title_word", "genre", "mood", "activity", "instrument", "region", "language",
    "vocal", "year", "bpm", "popularity", "version",
]  # fmt: skip
Text = Annotated[str, Field(min_length=1)]


class LabelledEntity(Contract):
    """A name in the request.

    Attributes:
        ids: catalog ids; any one is right (namesakes and versions that the request cannot tell apart).
        surface: the words of the request that name it, as written.
        optional: right to use, but not wrong to leave out (the artist beside a title that is found without).
    """

    entity_type: EntityType
    ids: tuple[Text, ...] = Field(min_length=1)
    role: Role
    surface: Text
    optional: bool = False


class Reading(Contract):
    """One way to hold a condition: facet, operator and vocabulary ids; for `range` two numbers, empty = open."""

    facet: Facet
    op: Op
    values: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _range_has_two_ends(self) -> Self:
        if self.op == "range" and (len(self.values) != 2 or not any(self.values)):
            raise ValueError("a range needs two values, at least one of them a number")
        return self


class LabelledConstraint(Reading):
    """A condition of the request.

    Attributes:
        values: any of them; a reading that holds one or more of them and nothing else is right.
        also: other readings that are as right ("French songs": the language or the country).
        strength: as in `data.contracts.Constraint`.
        relaxable: a repair may loosen it, as long as the answer says so. Never an exclusion.
        optional: right to use, but not wrong to leave to the words (a scene's mood that nobody named).
    """

    also: tuple[Reading, ...] = ()
    strength: Strength = "soft"
    relaxable: bool = True
    optional: bool = False

    @model_validator(mode="after")
    def _exclusions_stay(self) -> Self:
        if self.op == "not" and self.relaxable:
            raise ValueError("an exclusion is never relaxed")
        return self


class Ambiguity(Contract):
    """What a request that cannot be told apart may mean, and which answers are acceptable.

    Attributes:
        readings: the names of each reading; an empty one stands for words that name nothing.
        answers: `ask` a question, take `any_reading` and say so, or mix `all_readings`; best first.
    """

    readings: tuple[tuple[LabelledEntity, ...], ...] = Field(min_length=2)
    answers: tuple[Answer, ...] = Field(min_length=1)


class Condition(Contract):
    """One test on a catalog record.

    Attributes:
        values: any of these: ids, vocabulary ids (what is narrower counts too), titles or words of a title.
        low, high: closed bounds for year, bpm and popularity (the catalog's own scale).
        negated: the test must fail. unknown_ok: a record that does not say passes; a negated test always passes it.
    """

    field: ConditionField
    values: tuple[Text, ...] = ()
    low: float | None = None
    high: float | None = None
    negated: bool = False
    unknown_ok: bool = False

    @model_validator(mode="after")
    def _values_or_bounds(self) -> Self:
        numeric = self.field in ("year", "bpm", "popularity")
        if numeric and (self.values or (self.low is None and self.high is None)):
            raise ValueError(f"{self.field} needs bounds")
        if not numeric and (not self.values or self.low is not None or self.high is not None):
            raise ValueError(f"{self.field} needs values")
        return self


class GradeRule(Contract):
    """Tracks for which every condition holds are worth `grade`: 3 all that was asked, 2 all but one soft thing, 1 the core."""

    grade: Literal[1, 2, 3]
    where: tuple[Condition, ...] = ()


class Quality(Contract):
    """Which tracks are right.

    Attributes:
        rules: a track's grade is that of the best rule it meets; 0 without one.
        excluded: a track that meets any of these is worth 0 whatever the rules say.
        least: tracks of grade 2 or 3 that a good answer has at least; 0 where the honest answer is none.
        size: how many tracks are asked for; 1 for one named track, 20 for a list unless said.
        personal: the set that the rules are read within; membership is the caller's to know.
        satisfiable: False when no track of the demo catalog can earn a 3, on purpose.
    """

    rules: tuple[GradeRule, ...] = ()
    excluded: tuple[Condition, ...] = ()
    least: int = Field(ge=0, le=100)
    size: int = Field(ge=1, le=100)
    personal: Literal["none", "liked", "history"] = "none"
    satisfiable: bool = True


class LabelledRow(Contract):
    """One labelled request.

    Attributes:
        locale: language of the request (ISO 639), `zh-Hant` for traditional characters.
        design_intent: one sentence: why this row exists.
        absent: names that the catalog does not hold, as written in the request.
        ambiguity: None when a careful person knows what is meant. `entities` then hold what all readings share.
        retry: acceptable repairs, best first; `none` when the first search suffices.
    """

    qid: str = Field(pattern=r"^(entity|longtail|regular)-\d{3}$")
    set: SetName
    kind: Kind
    request: str = Field(min_length=1, max_length=400)
    locale: str = Field(pattern=r"^[a-z]{2,3}(-Hant)?$")
    design_intent: str = Field(min_length=10, max_length=240)
    entities: tuple[LabelledEntity, ...] = ()
    absent: tuple[Text, ...] = ()
    ambiguity: Ambiguity | None = None
    constraints: tuple[LabelledConstraint, ...] = ()
    retry: tuple[RetryAction, ...] = Field(min_length=1)
    failure_mode: FailureMode
    quality: Quality

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        if not self.qid.startswith(f"{self.set}-") or self.kind not in KINDS[self.set]:
            raise ValueError(f"{self.qid}: kind {self.kind} is none of the set {self.set}")
        if missing := [words for words in self.surfaces if words not in self.request]:
            raise ValueError(f"{self.qid}: not in the request: {missing}")
        if (self.ambiguity is not None and "ask" in self.ambiguity.answers) != ("clarify" in self.retry):
            raise ValueError(f"{self.qid}: an ambiguous request that may be asked about is one that clarifies, and no other")
        return self

    @property
    def ambiguous(self) -> bool:
        """Whether the request cannot be told apart."""
        return self.ambiguity is not None

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Every name in the request, present or absent, as written."""
        readings = self.ambiguity.readings if self.ambiguity else ()
        named = [*self.entities, *(entity for reading in readings for entity in reading)]
        return (*(entity.surface for entity in named), *self.absent)


@cache
def load_rows(name: SetName, split: Split | None = None) -> tuple[LabelledRow, ...]:
    """The rows of a set in the order of its file; all of them, or one split.

    Raises:
        LabelError: the set, the split or a row is not as it must be; names the line.
    """
    if name not in KINDS:
        raise LabelError(f"no labelled set is called {name}", hint=f"one of {', '.join(KINDS)}")
    lines = (resources.files("data.sets") / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = tuple(_row(name, number, line) for number, line in enumerate(lines, 1))
    if split is None:
        return rows
    if split not in get_args(Split):
        raise LabelError(f"no split is called {split}", hint=f"one of {', '.join(get_args(Split))}")
    wanted = frozenset(split_qids()[split])
    return tuple(row for row in rows if row.qid in wanted)


def _row(name: str, number: int, line: str) -> LabelledRow:
    try:
        return LabelledRow.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise LabelError(f"{name}.jsonl:{number}: {where}: {first['msg']}") from error


@cache
def split_qids() -> dict[Split, tuple[str, ...]]:
    """The frozen splits, all sets together, from `data/sets/manifest.json`."""
    manifest = json.loads((resources.files("data.sets") / "manifest.json").read_text(encoding="utf-8"))
    return {split: tuple(manifest["splits"][split]["qids"]) for split in get_args(Split)}


def load_set(name: SetName, split: Split | None = None) -> Dataset:
    """A set as a Hugging Face data set; its columns are the fields of `LabelledRow`.

    Raises:
        LabelError: as `load_rows`.
    """
    from datasets import Dataset, Features  # slow to import, and only experiments need it

    from data.sets.columns import arrow_schema

    features = Features.from_arrow_schema(arrow_schema())
    return Dataset.from_list([row.model_dump(mode="json") for row in load_rows(name, split)], features=features)
