"""Words that change what stands right before them: "Enya-ish", "Kraftwerk era", "Lemon以外", "like Adele, other artists only"."""

from __future__ import annotations

from data.contracts import Evidence, Role
from program.grounding.draft import Draft
from program.grounding.frame import VERB_LAST, RequestFrame
from program.grounding.items import RoleItem

_POINTING_BACK = frozenset({"them", "him", "her", "that"})
_ASKING_ON = frozenset({"what", "who", "还"})
CONNECTORS = frozenset({"and", "or", "nor", "和", "或", "与", "跟"})


class Behind:
    """Changes the draft of one request."""

    def __init__(self, draft: Draft, frame: RequestFrame) -> None:
        self.draft = draft
        self.tokens = frame.lookup.tokens
        self.verb_last = frame.locale in VERB_LAST
        heads = [span for span, roles in frame.roles.items() if "head" in roles]
        self.things = {last: first for first, last in sorted(heads, reverse=True)}
        """Where a word for music ends → where the longest one that ends there starts."""

    def take(self, item: RoleItem) -> bool:
        """Whether the word is one of these; what it says is done then."""
        if item.role == "ruled_out" or (item.role == "negation" and self._follows_something(item)):
            self._rule_out(item)
        elif item.role == "alike":
            self._become(item, "seed")
        elif item.role == "times":
            self._become(item, "context")
        elif item.role == "others":
            self.draft.others_only = True
        else:
            return False
        return True

    def _follows_something(self, item: RoleItem) -> bool:
        """Whether a negation of a language whose verbs come last stands behind something in its clause."""
        return self.verb_last and item.first > 0 and self.tokens[item.first - 1].clause == self.tokens[item.first].clause

    def _become(self, item: RoleItem, role: Role) -> None:
        """Give a role to the name right before; all names of a list are where to start from ("老狼 朴树那种")."""
        ends = item.first
        for position in range(len(self.draft.entities) - 1, -1, -1):
            first, last = self._span(self.draft.evidence[position])
            between = {token.key for token in self.tokens[last:ends]}
            apart = not between <= CONNECTORS and not (ends == item.first and self._points_back(item))
            if self.draft.entities[position].role != "target" or last > ends or apart:
                return
            self._set(position, role)
            if role == "context":
                return
            ends = first

    def _points_back(self, item: RoleItem) -> bool:
        """Whether the phrase means names wherever they stood before it ("I love Enya, find me others like them")."""
        return self.tokens[item.last - 1].key in _POINTING_BACK or self.tokens[item.first].key in _ASKING_ON

    def _rule_out(self, item: RoleItem) -> None:
        """Leave out the name or the condition right before; the artist of a title that is left out stays wanted."""
        before = self._said_of(item.first)
        named = [n for n, entity in enumerate(self.draft.entities) if entity.role != "context"][-1:]
        ends = {self.draft.evidence[n].span[1] for n in (*named, len(self.draft.evidence) - 1) if n >= 0}
        if named and not before.isdisjoint(ends):
            self._set(named[0], "exclude")
            if self.draft.entities[-1].role == "context" and self.draft.entities[-1].entity_type == "artist":
                self._set(len(self.draft.entities) - 1, "target")
        elif self.draft.constraints and self.draft.constraints[-1].span[1] in before and self.draft.constraints[-1].op == "is":
            last = self.draft.constraints[-1]
            self.draft.constraints[-1] = last.model_copy(update={"op": "not", "strength": "core"})

    def _said_of(self, position: int) -> set[int]:
        """Where what stands before a token may end: right before it, or before a word for music ("재즈 노래 말고")."""
        ends = {self.tokens[position - 1].end}
        while self.verb_last and self.things.get(position):
            position = self.things[position]
            ends.add(self.tokens[position - 1].end)
        return ends

    def _set(self, position: int, role: Role) -> None:
        self.draft.entities[position] = self.draft.entities[position].model_copy(update={"role": role})

    def _span(self, item: Evidence) -> tuple[int, int]:
        """The tokens [first, last) of a piece of evidence."""
        inside = [at for at, token in enumerate(self.tokens) if item.span[0] <= token.start < item.span[1]]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)
