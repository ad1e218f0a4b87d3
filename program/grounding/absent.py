"""Names that a request uses and the catalog does not hold: what stands where a name must stand, and is none."""

from __future__ import annotations

from program.grounding.bare_names import CALLED, BareNames
from program.grounding.behind import CONNECTORS
from program.grounding.decode import Chain
from program.grounding.draft import Draft
from program.grounding.frame import VERB_LAST, RequestFrame
from program.grounding.items import ARTICLES, EntityItem, FacetItem, FreeItem, Item, JointItem, RoleItem
from program.grounding.talk import Talk

_DIRECT = frozenset({"command", "track_word", "artist_word", "album_word", "by"})
_POINTING = frozenset({"this", "that", "these", "those", "it", "them", "this one", "that one", "following"})
_MAKING = frozenset({"make", "create", "build", "generate", "compile", "curate", "做", "建", "生成"})
_OPENING, _CLOSING = frozenset('"“«《「『'), frozenset('"”»》」』')
_SHORT_CJK = 2
_OWNER_FIRST = frozenset({"的", "の", "의"})
_SINGERS_VERB = "唱"
"""Before a name it is nothing: a request that opens with it says what is sung about."""


class AbsentNames:
    """Finds the absent names of one chain and takes their words out of the draft's leftovers.

    With the rules (L2) a title that the catalog does not hold with the artist named beside it is absent; without them only
    words that nothing answers to are.
    """

    def __init__(self, draft: Draft, chain: Chain, frame: RequestFrame) -> None:
        self.rules = frame.settings.rules
        self.p_hi = frame.settings.p_hi
        self.draft = draft
        self.chain = chain
        self.frame = frame
        self.lookup = frame.lookup
        self.talk = Talk(frame)
        self.bare = BareNames(draft, chain, frame)
        said = any(isinstance(item, RoleItem) and item.role == "command" for item in chain.items)
        self.commanded = said and frame.is_commanded

    def take(self) -> tuple[str, ...]:
        """Words that stand where a name must stand, and that the catalog does not know; takes them out of the leftovers."""
        spans = [*self._broken_pairs(), *self._broken_names(), *self.bare.said_to_be()] if self.rules else []
        spans = [span for span in spans if self._is_drafted(*span)]
        spans.extend((item.first, item.last) for item in self.draft.missing)
        if spans:
            self.draft.no_targets()
        for run in self.draft.runs():
            if not self._is_drafted(run[0].first, run[-1].last):
                continue
            if self._is_name(run) or (self.rules and self.bare.by_looks(run)):
                spans.append((self._with_article(run[0].first), self._rest_of_name(run)))
        spans.extend(self._own_list())
        merged: list[tuple[int, int]] = []
        for first, last in sorted(spans):
            if merged and (first <= merged[-1][1] or self._by_between(merged[-1][1], first)):
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        for first, last in merged:
            self._drop_constraints(first, last)
        self.draft.free = [item for item in self.draft.free if not any(first <= item.first < last for first, last in merged)]
        return tuple(dict.fromkeys(self._text(first, last) for first, last in merged))

    def _rest_of_name(self, run: list[FreeItem]) -> int:
        """Where a name ends that begins with unknown words after a `by` word: a held one right behind is part of it.

        "by the Jonas Brothers" without a Jonas Brothers in the catalog is not about the album Brothers.
        """
        last = run[-1].last
        clause = self._clause(last - 1)
        behind = next((item for item in self._names() if item.first == last and self._clause(last) == clause), None)
        if behind is None or self._role_before(run[0].first) != "by":
            return last
        self.draft.no_targets()
        return behind.last

    def _is_drafted(self, first: int, last: int) -> bool:
        """Whether a model that was asked for the names sees one there; yes where none was asked."""
        return self.draft.drafted is None or self.draft.drafted.meets(first, last)

    # -- titles beside an artist ---------------------------------------------------------------------------------------

    def _broken_pairs(self) -> list[tuple[int, int]]:
        """Pairs "TITLE by ARTIST" that the catalog does not hold together, as tokens [first, last)."""
        found = []
        for position, item in enumerate(self.chain.items):
            if not (isinstance(item, RoleItem) and item.role == "by"):
                continue
            region = self._region_before(position)
            if self._text(item.first, item.last) in _OWNER_FIRST:
                found.extend(self._not_theirs(position))
                continue
            last = self._name_after(position)
            if item.first in self.draft.openings and not self._is_artist_to(last):
                continue  # another sentence
            loose = self.frame.is_loose_link(item.first, item.last) and not self._is_bare_command()
            if loose and region and self.talk.is_talk(region[0].first, region[-1].last):
                continue  # "the big one from the film", "les chansons calmes de …"
            if last is not None and region and self._is_title(region, last) and not self._is_described(item.last, last):
                found.append((self._start(region), last))
        return found

    def _not_theirs(self, position: int) -> list[tuple[int, int]]:
        """A title that a Chinese or Japanese request puts behind its artist ("周杰伦的…"), and that is not held."""
        items = self.chain.items
        before = items[position - 1] if position else None
        run = next((run for run in self.draft.runs() if run[0].first == items[position].last), None)
        known = isinstance(before, EntityItem) and before.mention.entity_type == "artist"
        return [(run[0].first, run[-1].last)] if known and run and self.commanded and not self.draft.constraints else []

    def _region_before(self, position: int) -> list[Item]:
        """The names, facets and leftovers right before an item, back to a word with a role or the start of the clause."""
        region: list[Item] = []
        small: list[Item] = []  # words inside a title ("Eyes of Rita"), once something before them belongs to it
        for item in reversed(self.chain.items[:position]):
            if region and region[0].first in self.draft.openings:
                break
            if isinstance(item, RoleItem) and item.role == "filler":
                if not region and self._text(item.first, item.last).casefold() in CONNECTORS:
                    break  # another wish ("some from Enya and one from Moby")
                small.insert(0, item)
            elif isinstance(item, JointItem) or not isinstance(item, EntityItem | FacetItem | FreeItem):
                break
            else:
                if small and region and not self._are_capitalised(item, region[0]):
                    break
                region = [item, *(small if region else []), *region]
                small = []
        article = bool(small) and bool(region) and self._is_written_as_name(small[-1], articles=True)
        return [small[-1], *region] if article else region

    def _name_after(self, position: int) -> int | None:
        """Where the name after a `by` word ends: an artist, or leftovers; None when there is none."""
        end: int | None = None
        for item in self.chain.items[position + 1 :]:
            if isinstance(item, RoleItem) and item.role == "filler":
                end = item.last if self._is_written_as_name(item) else end
                if end is None or end == item.last or self._text(item.first, item.last) == "&":
                    continue
            if isinstance(item, EntityItem) and end is None:
                return item.last if item.mention.entity_type == "artist" else None
            if not isinstance(item, FreeItem) or (end is not None and item.first in self.draft.openings):
                break
            end = item.last
        return end

    def _are_capitalised(self, *items: Item) -> bool:
        return all(self.lookup.tokens[item.first].text[:1].isupper() for item in items) and not self.lookup.request.isupper()

    def _is_written_as_name(self, item: Item, *, articles: bool = False) -> bool:
        """Whether an everyday word is capitalised in a request that is not all capitals ("by Years & Years")."""
        text = self.lookup.tokens[item.first].text
        plain = (text.casefold() in ARTICLES) is articles
        return text[:1].isupper() and plain and item.first > 0 and not self.lookup.request.isupper()

    def _is_title(self, region: list[Item], name_end: int) -> bool:
        """Whether what stands before `by` is a title: it has a name or an unknown word in it, or is a titled place."""
        known = self._is_artist_to(name_end)
        if any(isinstance(item, EntityItem) for item in region):
            return known or not self.talk.is_talk(region[-1].last, name_end) or self._after_similar(region[0].first)
        if any(isinstance(item, FreeItem) for item in region):
            named = known or not self.talk.is_talk(region[0].first, name_end)
            return named and (not self.draft.head_seen or self._after_similar(region[0].first))
        last = region[-1]
        place = isinstance(last, FacetItem) and last.facet in ("region", "language", "era")
        return known and place and bool(self.lookup.at(last.first, last.last, "track"))

    def _is_artist_to(self, name_end: int | None) -> bool:
        """Whether a held name ends there."""
        return any(item.last == name_end for item in self._names())

    def _start(self, region: list[Item]) -> int:
        """Where the title begins: describing words before it are none of it, unless an artist's name follows them.

        An artist is by nobody, so its name before `by` is part of a title ("Dancing Queen by …").
        """
        if any(isinstance(item, EntityItem) and item.mention.entity_type == "artist" for item in region):
            return region[0].first
        named = [item for item in region if not isinstance(item, FacetItem)] or region[-1:]
        return named[0].first

    def _is_described(self, first: int, last: int) -> bool:
        """Whether only everyday words stand after `by`, in a request that describes what it wants ("sung by women")."""
        return not self._is_bare_command() and not self._is_artist_to(last) and self.talk.is_talk(first, last)

    def _is_bare_command(self) -> bool:
        """Whether the request commands and neither describes nor names a kind of thing: what it holds is names."""
        return self.commanded and not self.draft.constraints and not self.draft.head_seen

    # -- words beside a name -------------------------------------------------------------------------------------------

    def _broken_names(self) -> list[tuple[int, int]]:
        """Unknown words beside a title or an artist, where only a name can stand ("play Xanthorpe Dreaming")."""
        found = []
        for run in self.draft.runs():
            first, last = run[0].first, run[-1].last
            beside = [item for item in self._names() if item.last == first or item.first == last]
            beside = [item for item in beside if self._clause(item.first) == self._clause(first)]
            titles = [item for item in beside if item.mention.entity_type != "artist"]
            cut = [item for item in beside if self._is_cut(item)]
            if cut:
                found.append((min(first, cut[0].first), max(last, cut[0].last)))
                continue
            start = min([first, *(item.first for item in titles)])
            if not beside or not self._must_be_name(start, run) or self._is_said_already(run):
                continue
            if titles:
                found.append((start, max(last, titles[0].last)))
            elif self.talk.is_uncommon(first, last):
                found.append((first, last))  # an artist and a title that is not held
        return found

    def _is_said_already(self, run: list[FreeItem]) -> bool:
        """Whether a verified pair is what is wanted: words elsewhere in small letters are talk around it."""
        pairs = any(isinstance(item, JointItem) for item in self.chain.items)
        return pairs and not self.talk.is_capitalised(run[0].first, run[-1].last)

    def _is_cut(self, item: EntityItem) -> bool:
        """Whether a short Chinese name touches characters that nothing explains: it is part of a longer one."""
        short = item.last - item.first <= _SHORT_CJK and self.lookup.tokens[item.first].cjk
        return short and not (item.mention.entity_type == "artist" and item.mention.posting.popularity >= self.p_hi)

    def _names(self) -> list[EntityItem]:
        return [item for item in self.chain.items if isinstance(item, EntityItem)]

    def _must_be_name(self, first: int, run: list[FreeItem]) -> bool:
        """Whether what begins at `first` is asked for by name: after "like", or in a request that describes nothing."""
        roles = {self._role_before(first), self._role_before(run[0].first)}
        if roles & {"similar", "album_word", "track_word", "artist_word"}:
            return True
        if self.draft.constraints or self.draft.head_seen:
            return False
        return self._is_commanded_in(run[0].first) or self.talk.is_capitalised(run[0].first, run[-1].last)

    def _is_commanded_in(self, token: int) -> bool:
        """Whether the request commands, and not only in a later clause."""
        first = min((at for at in self.frame.commands), default=0)
        later = self._clause(first) > self._clause(token) and self.frame.locale not in VERB_LAST
        return self.commanded and not later

    def _after_similar(self, first: int) -> bool:
        return self._role_before(first) == "similar"

    def _clause(self, token: int) -> int:
        return self.lookup.tokens[token].clause

    def _drop_constraints(self, first: int, last: int) -> None:
        """Facet words inside a name describe nothing."""
        start, end = self.lookup.tokens[first].start, self.lookup.tokens[last - 1].end
        self.draft.constraints = [c for c in self.draft.constraints if not start <= c.span[0] < end]

    def _by_between(self, first: int, last: int) -> bool:
        """Whether tokens [first, last) are a `by` word and fillers only."""
        between = [item for item in self.chain.items if item.first >= first and item.last <= last]
        roles = {item.role for item in between if isinstance(item, RoleItem)}
        return "by" in roles and roles <= {"by", "filler"} and len(between) <= 2

    def _own_list(self) -> list[tuple[int, int]]:
        """A playlist of the listener's, asked for by its name: no catalog holds it, and no song of that name is meant."""
        if not self.draft.own_list or not self.commanded or self.draft.constraints or self._makes_one():
            return []
        named = self._after_own_list()
        if not named:
            return []
        self.draft.no_targets()
        return [(named[0].first, named[-1].last)]

    def _after_own_list(self) -> list[Item]:
        """The names and leftovers that follow the words for an own list, up to a word with another role or a clause."""
        items = self.chain.items
        start = next(at for at, item in enumerate(items) if isinstance(item, RoleItem) and item.role == "own_list")
        named: list[Item] = []
        for item in items[start + 1 :]:
            if item.first in self.draft.openings and not self._says_called(item.first):
                break
            if isinstance(item, EntityItem | JointItem | FreeItem):
                named.append(item)
            elif not (isinstance(item, RoleItem) and item.role == "filler"):
                break
        return named

    def _says_called(self, first: int) -> bool:
        """Whether the clause that begins at a token gives a name ("it is called …")."""
        return any(token.key in CALLED and token.clause == self._clause(first) for token in self.lookup.tokens[first:])

    def _makes_one(self) -> bool:
        return any(token.key in _MAKING for token in self.lookup.tokens)

    # -- leftovers by themselves ---------------------------------------------------------------------------------------

    def _is_name(self, run: list[FreeItem]) -> bool:
        first, last = run[0].first, run[-1].last
        if self._is_quoted(first, last):
            return True
        words = [item for item in self.chain.items if isinstance(item, RoleItem) and item.last <= first]
        before = self._role_before(first)
        link = self._start_of_role(first)
        if before == "by" and self._text(link, first).strip() in _OWNER_FIRST | {_SINGERS_VERB}:
            return False
        if before == "similar" or (before == "by" and self._is_loosely_linked(first)):
            return self.talk.is_rare(first, last)
        if before == "by":
            return self.talk.is_uncommon(first, last) or last - first > 1
        if before == "head" and self.commanded and self.lookup.tokens[first].cjk and not self.draft.entities:
            return True  # in Chinese what describes comes first, so a title follows ("播放歌曲…")
        bare = not self.draft.constraints and not self.draft.head_seen and not self.draft.entities
        return bare and (
            before in _DIRECT or any(word.role == "command" for word in words) or self.talk.is_capitalised(first, last)
        )

    def _role_before(self, first: int) -> str | None:
        """The role of the phrase right before a token, fillers looked past ("by the"); "like this" points, it names nothing."""
        end, role = first, None
        for item in reversed([item for item in self.chain.items if item.last <= first]):
            if item.last != end or not isinstance(item, RoleItem) or end in self.draft.openings:
                break
            end, role = item.first, item.role
            if role != "filler" or self._text(item.first, item.last).casefold() in _POINTING:
                break
        return role

    def _is_loosely_linked(self, first: int) -> bool:
        """Whether the `by` word before a token, fillers looked past, means other things as well ("from", "de")."""
        links = [item for item in self.chain.items if isinstance(item, RoleItem) and item.role == "by" and item.last <= first]
        return bool(links) and self.frame.is_loose_link(links[-1].first, links[-1].last)

    def _start_of_role(self, first: int) -> int:
        """Where the phrase right before a token begins."""
        return next((item.first for item in self.chain.items if item.last == first), first)

    def _with_article(self, first: int) -> int:
        """Where a name begins that has its article before it ("by The Nobodies")."""
        before = self.lookup.tokens[first - 1] if first else None
        return first - 1 if before is not None and before.key in ARTICLES and before.text[:1].isupper() else first

    def _is_quoted(self, first: int, last: int) -> bool:
        tokens, request = self.lookup.tokens, self.lookup.request
        before = request[: tokens[first].start].rstrip()[-1:]
        return before in _OPENING and request[tokens[last - 1].end :].lstrip()[:1] in _CLOSING

    def _text(self, first: int, last: int) -> str:
        tokens = self.lookup.tokens
        return self.lookup.request[tokens[first].start : tokens[last - 1].end]
