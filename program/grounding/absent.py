"""Names that a request uses and the catalog does not hold: what stands where a name must stand, and is none."""

from __future__ import annotations

from program.grounding.decode import Chain
from program.grounding.draft import Draft
from program.grounding.items import EntityItem, FreeItem, RoleItem
from program.grounding.lookup import Lookup

_DIRECT = frozenset({"command", "track_word", "artist_word", "album_word", "by"})
_OPENING, _CLOSING = frozenset('"“«《「『'), frozenset('"”»》」』')


class AbsentNames:
    """Finds the absent names of one chain and takes their words out of the draft's leftovers."""

    def __init__(self, draft: Draft, chain: Chain, lookup: Lookup) -> None:
        self.draft = draft
        self.chain = chain
        self.lookup = lookup

    def take(self) -> tuple[str, ...]:
        """Words that stand where a name must stand, and that the catalog does not know; takes them out of the leftovers."""
        spans = [span for span in (self._broken_pair(), self._broken_name()) if span]
        for run in self.draft.runs():
            if self._is_name(run):
                spans.append((run[0].first, run[-1].last))
        merged: list[tuple[int, int]] = []
        for first, last in sorted(spans):
            if merged and (first <= merged[-1][1] or self._by_between(merged[-1][1], first)):
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        self.draft.free = [item for item in self.draft.free if not any(first <= item.first < last for first, last in merged)]
        return tuple(dict.fromkeys(self._text(first, last) for first, last in merged))

    def _broken_pair(self) -> tuple[int, int] | None:
        """A pair "TITLE by ARTIST" that the catalog does not hold together, as tokens; its title is then no target."""
        items = [item for item in self.chain.items if not (isinstance(item, RoleItem) and item.role == "filler")]
        for left, middle, right in zip(items, items[1:], items[2:], strict=False):
            titled = isinstance(left, EntityItem) and left.mention.entity_type != "artist"
            if not (titled and isinstance(middle, RoleItem) and middle.role == "by"):
                continue
            known = isinstance(right, EntityItem) and right.mention.entity_type == "artist"
            if known or isinstance(right, FreeItem):
                self.draft.no_targets()
                return left.first, right.last
        return None

    def _by_between(self, first: int, last: int) -> bool:
        """Whether tokens [first, last) are a `by` word and fillers only."""
        between = [item for item in self.chain.items if item.first >= first and item.last <= last]
        roles = {item.role for item in between if isinstance(item, RoleItem)}
        return "by" in roles and roles <= {"by", "filler"} and len(between) <= 2

    def _text(self, first: int, last: int) -> str:
        tokens = self.lookup.tokens
        return self.lookup.request[tokens[first].start : tokens[last - 1].end]

    def _broken_name(self) -> tuple[int, int] | None:
        """A title that is only part of the words that stand where a title must stand ("play Xanthorpe Dreaming")."""
        commanded = any(isinstance(item, RoleItem) and item.role == "command" for item in self.chain.items)
        if self.draft.constraints or self.draft.head_seen:
            return None
        for run in self.draft.runs():
            first, last = run[0].first, run[-1].last
            entities = [
                item for item in self.chain.items if isinstance(item, EntityItem) and item.mention.entity_type != "artist"
            ]
            titles = [item for item in entities if item.last == first or item.first == last]
            if titles and (commanded or self._is_capitalised(run)):
                self.draft.no_targets()
                return min(first, titles[0].first), max(last, titles[0].last)
        return None

    def _is_name(self, run: list[FreeItem]) -> bool:
        first, last = run[0].first, run[-1].last
        if self._is_quoted(first, last):
            return True
        words = [item for item in self.chain.items if isinstance(item, RoleItem) and item.last <= first]
        before = words[-1].role if words and words[-1].last == first else None
        if before in ("by", "similar") or (before == "negation" and self._is_capitalised(run)):
            return True
        bare = not self.draft.constraints and not self.draft.head_seen and not self.draft.entities
        return bare and (before in _DIRECT or any(word.role == "command" for word in words) or self._is_capitalised(run))

    def _is_quoted(self, first: int, last: int) -> bool:
        tokens, request = self.lookup.tokens, self.lookup.request
        before = request[: tokens[first].start].rstrip()[-1:]
        return before in set('"“«《「『') and request[tokens[last - 1].end :].lstrip()[:1] in set('"”»》」』')

    def _is_capitalised(self, free: list[FreeItem]) -> bool:
        tokens = self.lookup.tokens
        words = [tokens[item.first].text for item in free]
        return free[0].first > 0 and all(word[:1].isupper() for word in words) and not self.lookup.request.isupper()
