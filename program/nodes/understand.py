"""UNDERSTAND: spans and L1 evidence by code, then the head shortcut or the LM's choice among what was found."""

from __future__ import annotations

from functools import partial

import dspy

from data.contracts import Fallback, Intent
from data.names import name_key
from program.grounding.locale import request_locale
from program.grounding.readings import Understanding, understand_by_code
from program.grounding.rules import rules_text
from program.grounding.ungrounded import Named, named_by_code, understand_ungrounded
from program.index.protocol import CatalogIndex
from program.lm.names_adapter import NamesAdapter
from program.nodes.asking import ask_node
from program.nodes.choice_checks import ChoiceChecks
from program.nodes.describe import intent_words
from program.nodes.offers import drafted, offered, output_types
from program.retry.ledger import Ledger
from program.state import Resources, Session
from signatures.understand import DraftNames, NameThings, Understand

_NAMES = NamesAdapter()
_DRAFT_TOKENS = 90


class UnderstandNode(dspy.Module):
    """Request → `Intent`. Sets `session.understanding`, `session.intent` and the constraints to keep."""

    def __init__(self) -> None:
        super().__init__()
        self.understand = dspy.Predict(Understand)
        self._name_things = _Untuned(dspy.Predict(NameThings))
        self._draft_names = _Untuned(dspy.Predict(DraftNames))

    def forward(self, session: Session, resources: Resources) -> Intent:
        """Read the request; an LM is asked only when code's reading is not clear by itself."""
        if resources.settings.grounding.lookup:
            intent, known = self._grounded(session, resources)
        else:
            intent, known = self._ungrounded(session, resources)
        if session.n is not None:
            intent = intent.model_copy(update={"size": session.n})
        session.understanding, session.intent = known, intent
        session.note(unsung(known, intent, resources.index))
        session.active, session.ledger = intent.constraints, Ledger(intent.constraints)
        return intent

    def _grounded(self, session: Session, resources: Resources) -> tuple[Intent, Understanding]:
        settings = resources.settings
        known = understand_by_code(session.text, resources.index, settings)
        drafts = settings.understand.order == "draft"
        clear = settings.head_shortcut and is_clear(known, settings.grounding.shortcut_margin)
        if clear and not (drafts and settings.understand.draft_all):
            return known.best.intent, known
        if drafts:
            spoken = settings.understand.draft_locales
            if not spoken or request_locale(session.text) in spoken:
                known = self._drafted(session, resources) or known
            return known.best.intent, known
        return self._ask(known, session, resources) or (known.best.intent, known)

    def _drafted(self, session: Session, resources: Resources) -> Understanding | None:
        """Code's readings again, with the names that the LM sees in the request as evidence."""
        trained = bool(resources.backbones["understand"].adapter)
        prediction = ask_node(
            self._draft_names.predict, {"request": session.text}, session, resources, node="understand", types={},
            max_tokens=_DRAFT_TOKENS, adapter=_NAMES if trained else None, repair=not trained,
        )  # fmt: skip
        if prediction is None:
            return None
        return understand_by_code(session.text, resources.index, resources.settings, prediction.names)

    def _ask(self, known: Understanding, session: Session, resources: Resources) -> tuple[Intent, Understanding] | None:
        grounding = resources.settings.grounding
        options = offered(known, resources)
        inputs: dict[str, object] = {
            "request": session.text,
            "readings": "\n".join(f"r{n}: {intent_words(reading.intent)}" for n, reading in enumerate(known.readings)),
            "options": "\n".join(f"{name}: {option.words}" for name, option in options.items()) or "none",
            "profile": profile_words(session, resources),
        }
        checks = ChoiceChecks(known, options, session.text, grounding.ambiguity_margin).all()
        prediction = ask_node(
            self.understand, inputs, session, resources, node="understand", checks=checks, max_tokens=90,
            types=output_types(len(known.readings), tuple(options)), instructions=partial(rules_text, settings=grounding),
        )  # fmt: skip
        return None if prediction is None else drafted(prediction, known, options)

    def _ungrounded(self, session: Session, resources: Resources) -> tuple[Intent, Understanding]:
        """Without L1: the names that the LM lists (without one: that stand where names stand) meet the search unchecked."""
        prediction = ask_node(
            self._name_things.predict, {"request": session.text}, session, resources, node="understand", types={}, max_tokens=120
        )
        named = Named.listed(prediction) if prediction else named_by_code(session.text, resources.index, resources.settings)
        return understand_ungrounded(session.text, named, resources.index, resources.settings)


class _Untuned:
    """Keeps a predictor out of `named_predictors`: the system without grounding is compared with, not tuned."""

    def __init__(self, predict: dspy.Predict) -> None:
        self.predict = predict


def profile_words(session: Session, resources: Resources) -> str:
    """The listener's taste in words; empty, and so not in the prompt, without a listener or where it is switched off."""
    taste = session.listener.taste if session.listener and resources.settings.personal.profile else None
    return taste.words() if taste else ""


def unsung(known: Understanding, intent: Intent, index: CatalogIndex) -> Fallback | None:
    """What to say where a request quotes words of a song that no lyrics of the catalog hold."""
    if not known.quoting or intent.kind == "lyric":
        return None
    if not index.info.lyrics:
        message = "The catalog holds no lyrics, so remembered words cannot be looked up."
        return Fallback(node="understand", kind="policy", code="no_lyrics", message=message)
    message = "No lyrics in the catalog hold these words."
    return Fallback(node="understand", kind="policy", code="no_lyric_match", message=message)


def is_clear(known: Understanding, margin: float) -> bool:
    """Grammar-clear: every word is explained, and no other reading comes close or all say the same of the names."""
    best = known.best
    if not best.complete or best.intent.ambiguity:
        return best.complete
    if known.margin >= margin:
        return True
    return (best.intent.entities == () and known.readings[1].intent.entities == ()) or _same_entity(known)


def _same_entity(known: Understanding) -> bool:
    """The first two readings want the same kind of thing from the same words; popularity then decides, not an LM."""
    first, second = known.readings[0].intent, known.readings[1].intent
    spans = [[item.span for item in reading.evidence] for reading in known.readings[:2]]
    types = [[entity.entity_type for entity in intent.entities] for intent in (first, second)]
    named = [[name_key(entity.name) for entity in intent.entities] for intent in (first, second)]
    alike = types[0] == types[1] or (types[0] == ["artist"] and named[0] == named[1])  # or an album named after its artist
    return spans[0] == spans[1] and alike and first.constraints == second.constraints
