"""The records of promotion, one a program that was judged. It is judged once; the record answers the second time."""

from __future__ import annotations

import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from data.errors import BundleError
from experiments.figures import Difference, Figure
from experiments.promotion.judge import Judged
from experiments.tracking import user_data
from experiments.tuning.settings_file import write_text
from program.bundle.files import Bundle


class Promotion(BaseModel):
    """One judgement.

    Attributes:
        program, settings: hashes of what was judged; against: of the current program then.
        figures: measure → candidate's, current's. differing: requests that the reloaded bundle answered otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    lm: str
    program: str
    settings: str
    against: str
    set: str
    split: str
    catalog: str
    promoted: bool
    reason: str
    requests: int
    difference: Difference
    figures: dict[str, tuple[Figure, Figure]]
    differing: tuple[str, ...]
    judged: str
    command: str


def record_path(bundle: Bundle, split: str) -> Path:
    """Where the record of a program's judgement lies."""
    return user_data() / "promotions" / f"{bundle.program_hash}-{bundle.settings.hash()}-{split}.json"


def earlier(bundle: Bundle, split: str) -> Promotion | None:
    """The record of a program that was judged before.

    Raises:
        BundleError: there is a record that cannot be read; judging again would be a second look.
    """
    path = record_path(bundle, split)
    if not path.exists():
        return None
    try:
        return Promotion.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BundleError(f"the record {path} cannot be read, so whether this program was judged is not known") from error


def write_record(candidate: Bundle, current: Bundle, judged: Judged, where: tuple[str, str, str], command: str) -> Promotion:
    """Write the record.

    Args:
        where: set, split, content hash of the catalog.
    """
    made = Promotion(
        name=candidate.name, lm=candidate.settings.lm.label, program=candidate.program_hash, settings=candidate.settings.hash(),
        against=current.program_hash, set=where[0], split=where[1], catalog=where[2][:16], promoted=judged.promoted,
        reason=judged.reason, requests=judged.requests, difference=judged.difference, figures=judged.figures,
        differing=judged.differing, judged=datetime.date.today().isoformat(), command=command,
    )  # fmt: skip
    write_text(record_path(candidate, where[1]), made.model_dump_json(indent=1) + "\n")
    return made
