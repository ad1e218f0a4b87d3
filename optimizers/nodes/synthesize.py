"""SYNTHESIZE's metric: words that come from the facts, in the right language, at the right length, and say what was given up.

Closure is the node's own assertion: words that do not close never get here.
"""

from __future__ import annotations

import re

from data.contracts import ReplyContract
from data.labelled import LabelledRow
from data.names import has_cjk
from optimizers.judge import Judge
from optimizers.nodes.parts import Parts
from program.nodes.synthesize import SynthesizeNode, chosen_tracks, ranked_tracks
from program.nodes.wording import ledger_line
from program.state import Resources, Session
from program.trust.contract import known_share

PARTS = ("faithful", "title_length", "description_length", "language")
_TITLE_WORDS = (2, 6)
_SENTENCES = (1, 2)
_CJK_LOCALES = ("zh", "ja", "ko")
_ENDS = re.compile(r"[.!?。！？]+(?:\s|$)|[。！？]")


def score(row: LabelledRow, session: Session, judge: Judge, resources: Resources) -> Parts:
    """The reply beside its contract."""
    reply, intent = session.reply, session.need_intent()
    assert reply is not None
    contract = SynthesizeNode.contract(session, chosen_tracks(session, resources, ranked_tracks(session, resources)))
    found = Parts()
    description = _without_ledger(reply.description, contract)
    shares = [known_share(text, contract) for text in (reply.title, description)]
    found.add("faithful", min(shares), 2.0)
    cjk = intent.locale.split("-")[0] in _CJK_LOCALES
    words = len(reply.title) // 2 if cjk and has_cjk(reply.title) else len(reply.title.split())
    sentences = len(_ENDS.findall(description)) or 1
    found.add("title_length", _TITLE_WORDS[0] <= words <= _TITLE_WORDS[1])
    found.add("description_length", _SENTENCES[0] <= sentences <= _SENTENCES[1])
    found.add("language", has_cjk(description) == cjk)
    _words(found, shares, words, sentences, intent.locale)
    return found


def _without_ledger(text: str, contract: ReplyContract) -> str:
    """The model's own words: what was given up is added by code."""
    for entry in contract.ledger:
        line = ledger_line(entry, contract.locale)
        text = text.replace(f"{line[:1].upper()}{line[1:]}.", "")
    return text.strip()


def _words(found: Parts, shares: list[float], words: int, sentences: int, locale: str) -> None:
    parts = found.shares()
    if min(shares) < 1:
        found.wrong.append(f"{round((1 - min(shares)) * 100)} % of the words are in none of the facts; leave them out.")
    else:
        found.right.append("Every word comes from the facts.")
    if not parts["title_length"]:
        found.wrong.append(f"The title has {words} words; 2 to 6 are right.")
    if not parts["description_length"]:
        found.wrong.append(f"The description has {sentences} sentences; one or two are right.")
    if not parts["language"]:
        found.wrong.append(f"It must be written in the language {locale}.")
