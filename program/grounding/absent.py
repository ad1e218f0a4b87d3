"""Names that a request uses and the catalog does not hold: what stands where a name must stand, and is none."""

from __future__ import annotations

from program.grounding.decode import Chain
from program.grounding.draft import Draft
from program.grounding.items import EntityItem, FacetItem, FreeItem, Item, RoleItem
from program.grounding.lookup import Lookup

_DIRECT = frozenset({"command", "track_word", "artist_word", "album_word", "by"})
_ARTICLES = frozenset({"the", "los", "las", "les", "die", "der", "das", "el", "la", "le", "il", "i", "os", "as", "de", "het"})
_OPENING, _CLOSING = frozenset('"“«《「『'), frozenset('"”»》」』')


class AbsentNames:
    """Finds the absent names of one chain and takes their words out of the draft's leftovers.

    Args:
        rules: whether a title that the catalog does not hold with the artist named beside it is absent (L2); without it
            only words that nothing answers to are.
    """

    def __init__(self, draft: Draft, chain: Chain, lookup: Lookup, *, rules: bool = True) -> None:
        self.rules = rules
        self.draft = draft
        self.chain = chain
        self.lookup = lookup

    def take(self) -> tuple[str, ...]:
        """Words that stand where a name must stand, and that the catalog does not know; takes them out of the leftovers."""
        broken = (self._broken_pair(), self._broken_name()) if self.rules else ()
        spans = [span for span in broken if span]
        for run in self.draft.runs():
            if self._is_name(run):
                spans.append((self._with_article(run[0].first), run[-1].last))
        merged: list[tuple[int, int]] = []
        for first, last in sorted(spans):
            if merged and (first <= merged[-1][1] or self._by_between(merged[-1][1], first)):
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        self.draft.free = [item for item in self.draft.free if not any(first <= item.first < last for first, last in merged)]
        return tuple(dict.fromkeys(self._text(first, last) for first, last in merged))

    def _with_article(self, first: int) -> int:
        """Where a name begins that has its article before it ("by The Nobodies")."""
        before = self.lookup.tokens[first - 1] if first else None
        return first - 1 if before is not None and before.key in _ARTICLES and before.text[:1].isupper() else first

    def _broken_pair(self) -> tuple[int, int] | None:
        """A pair "TITLE by ARTIST" that the catalog does not hold together, as tokens; its title is then no target."""
        items = [item for item in self.chain.items if not (isinstance(item, RoleItem) and item.role == "filler")]
        for left, middle, right in zip(items, items[1:], items[2:], strict=False):
            if not (isinstance(middle, RoleItem) and middle.role == "by"):
                continue
            known = isinstance(right, EntityItem) and right.mention.entity_type == "artist"
            if (known and self._is_title(left)) or (isinstance(right, FreeItem) and isinstance(left, EntityItem)):
                self.draft.no_targets()
                start = self._start(left)
                self._drop_constraints(start, left.last)
                return start, right.last
        return None

    def _drop_constraints(self, first: int, last: int) -> None:
        """Facet words inside a title describe nothing."""
        tokens = self.lookup.tokens
        start, end = tokens[first].start, tokens[last - 1].end
        self.draft.constraints = [c for c in self.draft.constraints if not start <= c.span[0] < end]

    def _is_title(self, item: Item) -> bool:
        """Whether an item stands for a title: a track or album, or a place or time that is also a title."""
        if isinstance(item, EntityItem):
            return item.mention.entity_type != "artist"
        place = isinstance(item, FacetItem) and item.facet in ("region", "language", "era")
        return bool(self.lookup.at(item.first, item.last, "track")) if place else False

    def _start(self, left: Item) -> int:
        """Where the title begins: leftovers right before it belong to it.

        An artist is by nobody, so before an artist's name the words that describe belong to it too ("Dancing Queen by …").
        """
        first = left.first
        if isinstance(left, EntityItem) and left.mention.entity_type == "artist":
            for item in reversed([item for item in self.chain.items if item.last <= first]):
                if item.last != first or isinstance(item, RoleItem):
                    break
                first = item.first
        for run in self.draft.runs():
            if run[-1].last == first:
                first = run[0].first
        return first

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
            tokens = self.lookup.tokens
            beside = [item for item in entities if item.last == first or item.first == last]
            titles = [item for item in beside if tokens[item.first].clause == tokens[first].clause]
            if titles and (commanded or self._is_capitalised(run)):
                self.draft.no_targets()
                return min(first, titles[0].first), max(last, titles[0].last)
        return None

    def _is_name(self, run: list[FreeItem]) -> bool:
        first, last = run[0].first, run[-1].last
        if self._is_quoted(first, last):
            return True
        words = [item for item in self.chain.items if isinstance(item, RoleItem) and item.last <= first]
        before = self._role_before(first)
        if before in ("by", "similar") or (before == "negation" and self._is_capitalised(run)):
            return True
        bare = not self.draft.constraints and not self.draft.head_seen and not self.draft.entities
        return bare and (before in _DIRECT or any(word.role == "command" for word in words) or self._is_capitalised(run))

    def _role_before(self, first: int) -> str | None:
        """The role of the phrase right before a token, fillers looked past ("by the")."""
        end, role = first, None
        for item in reversed([item for item in self.chain.items if item.last <= first]):
            if item.last != end or not isinstance(item, RoleItem):
                break
            end, role = item.first, item.role
            if role != "filler":
                break
        return role

    def _is_quoted(self, first: int, last: int) -> bool:
        tokens, request = self.lookup.tokens, self.lookup.request
        before = request[: tokens[first].start].rstrip()[-1:]
        return before in set('"“«《「『') and request[tokens[last - 1].end :].lstrip()[:1] in set('"”»》」』')

    def _is_capitalised(self, free: list[FreeItem]) -> bool:
        tokens = self.lookup.tokens
        words = [tokens[item.first].text for item in free]
        return free[0].first > 0 and all(word[:1].isupper() for word in words) and not self.lookup.request.isupper()
