"""Names that nothing but their looks gives away: what a title is said to be, a rare word before "songs" or "-ish"."""

from __future__ import annotations

from program.grounding.decode import Chain
from program.grounding.draft import Draft
from program.grounding.frame import VERB_LAST, RequestFrame
from program.grounding.items import EntityItem, FacetItem, FreeItem, Item, JointItem, RoleItem
from program.grounding.talk import Talk

CALLED = frozenset({"called", "named", "titled", "entitled", "namens"})


class BareNames:
    """Finds such names in one chain, as tokens [first, last)."""

    def __init__(self, draft: Draft, chain: Chain, frame: RequestFrame) -> None:
        self.draft, self.chain, self.frame = draft, chain, frame
        self.talk = Talk(frame)
        self.tokens = frame.lookup.tokens

    def said_to_be(self) -> list[tuple[int, int]]:
        """What stands after "called" and is no held name ("the one called Cold Water Morning")."""
        found = []
        for position, item in enumerate(self.chain.items):
            if isinstance(item, RoleItem) and self.tokens[item.last - 1].key in CALLED and not self.draft.own_list:
                named = self._named_after(position)
                if self._is_unheld(named):
                    found.append((named[0].first, named[-1].last))
        return found

    def _named_after(self, position: int) -> list[Item]:
        named: list[Item] = []
        for item in self.chain.items[position + 1 :]:
            if isinstance(item, RoleItem) or item.first in self.draft.openings:
                break
            named.append(item)
        return named

    def _is_unheld(self, named: list[Item]) -> bool:
        """Whether it is more than one held name, and written as a name or with a word in it that nothing explains."""
        pieces = [item for item in named if isinstance(item, EntityItem | JointItem | FreeItem | FacetItem)]
        if not pieces or len(pieces) != len(named) or (len(pieces) == 1 and not isinstance(pieces[0], FreeItem)):
            return False
        return any(isinstance(item, FreeItem) for item in pieces) or self.talk.is_capitalised(pieces[0].first, pieces[-1].last)

    def by_looks(self, run: list[FreeItem]) -> bool:
        """Whether unexplained words can only be a name where they stand, though nothing leads to them.

        Before "… -ish" and "… or something" rare words that are capitalised; before a Korean or Japanese "songs" unknown ones.
        """
        first, last = run[0].first, run[-1].last
        if self._is_start(last) and self.talk.is_capitalised(first, last) and self.talk.has_rare_word(first, last):
            return True
        if self.draft.constraints or self.draft.entities or self.draft.personal != "none":
            return False
        before_head = self.frame.locale in VERB_LAST and self.frame.followed_by(last, "head")
        return before_head and self._all_unknown(first, last)

    def _is_start(self, last: int) -> bool:
        """Whether what follows offers another choice or a likeness ("or something …", "type")."""
        return self.frame.next_key(last) == "or" or self.frame.followed_by(last, "alike")

    def _all_unknown(self, first: int, last: int) -> bool:
        return all(self.talk.frequency(at) == 0.0 and len(self.tokens[at].text) > 1 for at in range(first, last))
