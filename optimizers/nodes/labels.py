"""The right reply to a case, found by trying what was offered: run the node on each candidate reply and keep the best score.

So a labelled example is never a guess about numbers: code offers, the node's own assertions accept, the metric agrees.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError

from data.contracts import NodeName
from optimizers.nodes.cases import Case
from optimizers.nodes.replies import GivenReply, node_module, run_node, unasked
from optimizers.nodes.scoring import NodeScore, Scorer
from program.lm.schema import reply_model
from program.nodes.synthesize import SynthesizeNode
from program.state import Resources

PERFECT = 1.0 - 1e-9
_TRIES = 24
"""Replies that are tried for one case at most."""
_MAX_ROUTES = 2
_FOUND = re.compile(r"(\d+) of (\d+) needed")
Reply = dict[str, Any]


@dataclass(frozen=True)
class Label:
    """A reply and what it scores."""

    case: Case
    reply: Reply
    score: NodeScore

    def demo(self) -> dict[str, Any]:
        """The case with its reply, as a demo of the node's predictor."""
        return {**self.case.inputs, **self.reply}


class Labeller:
    """Finds right replies; the best of a case is remembered.

    Args:
        resources: without an LM.
    """

    def __init__(self, scorer: Scorer, resources: Resources) -> None:
        self._scorer, self._resources = scorer, resources
        self._unasked = unasked(resources)
        self._known: dict[str, Label | None] = {}

    def label(self, case: Case) -> Label | None:
        """The best reply that the node's assertions accept; None when none of the tried ones is accepted."""
        if case.case_id not in self._known:
            self._known[case.case_id] = self._search(case)
        return self._known[case.case_id]

    def score(self, case: Case, reply: Reply) -> NodeScore:
        """What a reply would score."""
        module = node_module(case.node, GivenReply(case.signature, reply))
        return self._scorer.score(case, run_node(case.node, module, case.begin(), self._unasked))

    def _search(self, case: Case) -> Label | None:
        best: Label | None = None
        model = reply_model(case.signature)
        candidates = _CANDIDATES[case.node](case, self._resources, lambda: best.reply if best else None)
        for reply in itertools.islice(candidates, _TRIES):
            try:
                model.model_validate(reply, strict=True)
            except ValidationError:
                continue
            score = self.score(case, reply)
            if score.failed or (score.score <= (best.score.score if best else 0.0)):
                continue
            best = Label(case, reply, score)
            if score.score >= PERFECT:
                break
        return best


BestSoFar = Callable[[], Reply | None]


def offered(case: Case, field: str) -> tuple[str, ...]:
    """The values that an output field may hold, or its items where it is a list."""
    annotation = case.signature.output_fields[field].annotation
    if get_origin(annotation) is list:
        annotation = get_args(annotation)[0]
    return tuple(map(str, get_args(annotation))) if get_origin(annotation) is Literal else ()


def _understand(case: Case, resources: Resources, best: BestSoFar) -> Iterator[Reply]:
    """Each reading; then the best of them with a name left uncovered, namesakes left open, an option more or less."""
    plain: Reply = {"add": [], "drop": [], "unsure": [], "name": ""}
    for number in offered(case, "reading"):
        yield {"reading": number, **plain}
    base = best() or {"reading": "r0", **plain}
    for name in case.row.absent:
        yield {**base, "name": name}
    if case.row.ambiguous:
        for pair in _namesakes(case):
            yield {**base, "unsure": list(pair)}
        return
    options = offered(case, "add")
    for name in options:
        yield {**base, "add": [name]}
        yield {**base, "drop": [name]}


def _namesakes(case: Case) -> Iterator[tuple[str, ...]]:
    """Pairs of offered names for the same words."""
    words = dict(re.findall(r'^(e\d+): ("[^"]*")', case.inputs["options"], re.MULTILINE))
    for one, other in itertools.combinations(offered(case, "unsure"), 2):
        if words.get(one) == words.get(other):
            yield (one, other)


def _plan(case: Case, resources: Resources, best: BestSoFar) -> Iterator[Reply]:
    numbers = offered(case, "routes")
    for count in range(1, min(_MAX_ROUTES, len(numbers)) + 1):
        yield from ({"routes": list(routes)} for routes in itertools.permutations(numbers, count))


def _reflect(case: Case, resources: Resources, best: BestSoFar) -> Iterator[Reply]:
    """Code's own set of changes first, then smaller and other sets, then other readings."""
    actions, ids, readings = offered(case, "action"), offered(case, "chosen"), offered(case, "reading")
    counted = _FOUND.search(case.inputs["found"])
    cause = f"only {counted.group(1)} of {counted.group(2)} needed tracks match" if counted else "too few tracks match"
    if "retry_relaxed" in actions:
        prefixes = (ids[:length] for length in range(1, len(ids) + 1))
        sets = dict.fromkeys((*prefixes, *((name,) for name in ids), *itertools.combinations(ids, 2)))
        for chosen in sets:
            yield {"action": "retry_relaxed", "chosen": list(chosen), "reading": "none", "cause": cause}
    if "retry_rewrite" in actions:
        for number in readings:
            if number != "none":
                yield {"action": "retry_rewrite", "chosen": [], "reading": number, "cause": cause}


def _synthesize(case: Case, resources: Resources, best: BestSoFar) -> Iterator[Reply]:
    """Code's own title over a sentence that names the artists; in the languages that code writes, English and Chinese."""
    locale = str(case.inputs["locale"]).split("-")[0]
    session = case.begin()
    SynthesizeNode()(session, resources)
    if session.reply is None or locale not in ("en", "zh"):
        return
    lines = str(case.inputs["tracks"]).splitlines()
    artists = list(dict.fromkeys(line.rpartition(" - ")[2] for line in lines))
    for title in dict.fromkeys((session.reply.title, case.row.request)):
        for count in (3, 2, 1):
            named = artists[:count]
            yield {"title": title, "description": _sentence(title, named, locale)}


def _sentence(title: str, artists: list[str], locale: str) -> str:
    if locale == "zh":
        return f"来自曲库的歌曲：{title}，有{'、'.join(artists)}。"
    last = f"{', '.join(artists[:-1])} and {artists[-1]}" if len(artists) > 1 else artists[0]
    return f"{title} from the catalog, with {last.rstrip('.')}."


_CANDIDATES: dict[NodeName, Callable[[Case, Resources, BestSoFar], Iterator[Reply]]] = {
    "understand": _understand, "plan": _plan, "reflect": _reflect, "synthesize": _synthesize,
}  # fmt: skip
