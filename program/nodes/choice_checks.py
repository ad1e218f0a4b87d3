"""UNDERSTAND's assertions on an LM's choice, beyond the schema. Each message is written for the model's repair turn."""

from __future__ import annotations

from dataclasses import dataclass

import dspy

from data.names import name_key
from program.grounding.readings import Understanding
from program.lm.ask import Check
from program.nodes.describe import is_empty
from program.nodes.offers import Offers, applied, reading_number


@dataclass(frozen=True)
class ChoiceChecks:
    """The checks of one request.

    Attributes:
        margin: largest popularity gap (0..1) at which namesakes may count as unsure.
    """

    known: Understanding
    options: Offers
    request: str
    margin: float

    def all(self) -> tuple[Check, ...]:
        """Every check under its name."""
        return (
            Check("polarity_kept", self.polarity_kept),
            Check("covers_request", self.covers_request),
            Check("options_disjoint", self.options_disjoint),
            Check("name_in_request", self.name_in_request),
            Check("unsure_of_namesakes", self.unsure_of_namesakes),
        )

    def covers_request(self, prediction: dspy.Prediction) -> str | None:
        """The choice explains as much of the request as code's own reading."""
        chosen = applied(prediction, self.known, self.options)
        best = self.known.best
        lost = len(best.intent.constraints) + len(best.intent.entities) - len(chosen.constraints) - len(chosen.entities)
        if lost > 0 and not self.known.readings[reading_number(prediction)].complete:
            return "the choice leaves words of the request unused that the first reading explains"
        return "nothing of the request would be left" if is_empty(chosen) and not is_empty(best.intent) else None

    def options_disjoint(self, prediction: dspy.Prediction) -> str | None:
        """No word of the request is used twice."""
        reading, options = self.known.readings[reading_number(prediction)], self.options
        taken = [item.span for item in reading.evidence] + [c.span for c in reading.intent.constraints]
        dropped = {options[name].span for name in prediction.drop if name in options}
        for name in prediction.add:
            span = options[name].span if name in options else (0, 0)
            if any((span != other and _overlap(span, other)) or span == other for other in taken if other not in dropped):
                return f"{name} uses words that the reading already uses; leave it out or drop the other"
        return None

    def name_in_request(self, prediction: dspy.Prediction) -> str | None:
        """An uncovered name is the request's own words."""
        name = str(prediction.name).strip()
        if name and name_key(name) not in name_key(self.request):
            return "the name must be copied from the request, or left empty"
        return None

    def polarity_kept(self, prediction: dspy.Prediction) -> str | None:
        """What is ruled out stays ruled out."""
        chosen = applied(prediction, self.known, self.options)
        kept = {entity.entity_id for entity in chosen.by_role("exclude")}
        wanted = {entity.entity_id for entity in chosen.by_role("target", "seed")}
        banned = {entity.entity_id for entity in self.known.best.intent.by_role("exclude")}
        seeded = any(entity.role == "seed" for entity in self.known.best.intent.entities)
        return "what the request excludes must stay excluded" if not banned <= kept or (banned & wanted and not seeded) else None

    def unsure_of_namesakes(self, prediction: dspy.Prediction) -> str | None:
        """Only namesakes of about the same popularity are worth a question."""
        found = [self.options[name].evidence for name in dict.fromkeys(prediction.unsure) if name in self.options]
        items = [item for item in found if item is not None]
        if not items:
            return None
        popularity = [item.popularity for item in items]
        alike = len({item.span for item in items}) == 1 and max(popularity) - min(popularity) <= self.margin
        if len(items) > 1 and alike:
            return None
        return "unsure takes two or more options for the same words and of about the same popularity; else leave it empty"


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
