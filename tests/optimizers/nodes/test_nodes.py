"""Cases, metrics and labels of single nodes, over the tiny catalog."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import NodeName
from data.labelled import LabelledRow
from optimizers.judge import Judge
from optimizers.nodes.cases import Case, code_resources, collect
from optimizers.nodes.labels import Labeller, offered
from optimizers.nodes.replies import GivenReply, node_module, run_node, unasked
from optimizers.nodes.scoring import NodeScore, Scorer, part_names
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.labelled import named, row
from tests.optimizers.search.rows import GOOD, POOR, thin_rows
from tests.sessions import number_of, reading, verdict

_DREAMY = {"facet": "mood", "op": "is", "values": ["dreamy"]}


class Nodes:
    """Cases and scores over one index."""

    def __init__(self, index: EmbeddedIndex) -> None:
        self.resources = code_resources(index, Settings())
        self.scorer = Scorer(Judge(index), self.resources)
        self.labeller = Labeller(self.scorer, self.resources)

    def case(self, node: NodeName, labelled: LabelledRow) -> Case:
        return collect([labelled], self.resources, (node,))[node][0]

    def score(self, node: NodeName, labelled: LabelledRow, reply: dict[str, Any]) -> NodeScore:
        return self.labeller.score(self.case(node, labelled), reply)


@pytest.fixture(scope="module")
def nodes(tiny_index: EmbeddedIndex) -> Nodes:
    """Over the tiny catalog."""
    return Nodes(tiny_index)


def _seeded(**fields: Any) -> LabelledRow:
    return row(
        "something like radiohead but dreamy and strange", entities=[named("radiohead", "artist", "radiohead", role="seed")],
        constraints=[_DREAMY], **fields,
    )  # fmt: skip


def test_clear_rows_give_no_case(nodes: Nodes) -> None:
    """A model is not asked about an exact name, so there is nothing to learn from it."""
    found = collect([row("africa by toto")], nodes.resources, ("understand", "plan", "reflect", "synthesize"))

    assert not any(found.values())


def test_cases_hold_what_is_offered(nodes: Nodes) -> None:
    """The inputs and the narrowed types are those of the real call; `enough` ends the collecting."""
    case = nodes.case("reflect", thin_rows(1)[0])
    few = collect(thin_rows(5), nodes.resources, ("reflect",), enough=2)

    assert case.case_id == "reflect/longtail-001"
    assert set(case.inputs) == {"request", "found", "changes", "readings"}
    assert set(offered(case, "chosen")) == {line.split(":")[0] for line in case.inputs["changes"].splitlines()}
    assert len(few["reflect"]) == 2


def test_running_a_case_leaves_it_as_it_is(nodes: Nodes) -> None:
    """The same case scores the same twice, although a repair writes into its session."""
    case = nodes.case("reflect", thin_rows(1)[0])
    reply = verdict("retry_relaxed", number_of(case.inputs["changes"], "Iceland"), cause="too few tracks match")

    assert nodes.labeller.score(case, reply) == nodes.labeller.score(case, reply)


def test_understand(nodes: Nodes) -> None:
    """The seed is right; read as what to play it is wrong in its role, and the words say so."""
    case = nodes.case("understand", _seeded())
    right = nodes.labeller.score(case, reading(number_of(case.inputs["readings"], "seed artist Radiohead")))
    wrong = nodes.labeller.score(case, reading(number_of(case.inputs["readings"], "target artist Radiohead")))

    assert (right.score, right.parts["entities"], right.parts["facets"]) == (1.0, 1.0, 1.0)
    assert "Radiohead" in right.feedback
    assert wrong.parts["entities"] == 0.0 and wrong.score < right.score
    assert "as seed" in wrong.feedback


def test_failed_assertions_are_worth_nothing(nodes: Nodes) -> None:
    """Code goes on with its own reading, which is right; the reply is a failure all the same, under the check's name."""
    found = nodes.score("understand", _seeded(), reading(name="the rolling stones"))

    assert (found.score, found.failed) == (0.0, ("name_in_request",))
    assert "The check name_in_request failed" in found.feedback


def test_no_reply_is_worth_nothing(nodes: Nodes) -> None:
    """A model that gave no reply that parses gets nothing for code's."""
    case = nodes.case("understand", _seeded())
    outcome = run_node(
        "understand", node_module("understand", GivenReply(case.signature)), case.begin(), unasked(nodes.resources)
    )

    assert nodes.scorer.score(case, outcome).score == 0.0


def test_plan(nodes: Nodes) -> None:
    """Routes are worth what they bring."""
    rules = [{"grade": 3, "where": [{"field": "artist", "values": ["radiohead"], "negated": True}]}]
    case = nodes.case("plan", _seeded(quality={"rules": rules, "least": 1, "size": 20}))
    found = nodes.labeller.score(case, {"routes": [number_of(case.inputs["tools"], "resemble")]})

    assert found.parts["valid"] == 1.0
    assert 0 < found.parts["fit"] <= 1
    assert "similar_tracks" in found.feedback


def test_reflect_holds_recovery_and_preservation(nodes: Nodes) -> None:
    """Widening the region finds enough and keeps the core; giving up the genre finds enough and loses it."""
    case = nodes.case("reflect", thin_rows(1)[0])
    changes = case.inputs["changes"]
    kept = nodes.labeller.score(case, verdict("retry_relaxed", number_of(changes, "Iceland"), cause="few tracks match this"))

    assert kept.parts["action"] == 1.0
    assert kept.parts["preserved"] == 1.0
    assert kept.parts["recovered"] > 0.3


def test_synthesize(nodes: Nodes) -> None:
    """Length counts, and words that nobody gave are named."""
    labelled = thin_rows(1)[0]
    good, poor = (nodes.score("synthesize", labelled, reply) for reply in (GOOD, POOR))
    invented = nodes.score(
        "synthesize", labelled, {**GOOD, "description": "Grammy winners tour Reykjavik with a champion orchestra."}
    )

    assert good.score == 1.0
    assert poor.score < good.score
    assert (poor.parts["title_length"], poor.parts["description_length"]) == (0.0, 0.0)
    assert (invented.score, invented.failed) == (0.0, ("reply_grounded",))


@pytest.mark.parametrize("node", ["understand", "reflect", "synthesize"])
def test_labels_are_replies_that_score(nodes: Nodes, node: NodeName) -> None:
    """What was found by trying passes the node's assertions, and is a demo of its predictor's own fields."""
    case = nodes.case(node, _seeded() if node == "understand" else thin_rows(1)[0])
    label = nodes.labeller.label(case)

    assert label is not None
    assert label.score.failed == ()
    assert label.score == nodes.labeller.score(case, label.reply)
    assert set(label.demo()) == set(case.signature.fields)


def test_parts_have_the_promised_names(nodes: Nodes) -> None:
    """Every node's metric names its parts."""
    assert set(part_names()) == {"understand", "plan", "reflect", "synthesize"}
    assert set(nodes.score("synthesize", thin_rows(1)[0], GOOD).parts) <= set(part_names()["synthesize"])
