"""The state of each file: what was known when it was indexed, compared with what is there now.

Each file was resolved against the interfaces of the files it depends on. When such an interface is another now, the
file is stale, and so are the files that depend on it in turn. Linear in files and edges. Which file depends on which
comes from the graph alone; without a graph any changed file may be a dependency of any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from everdex.graph.stored.artifact import FileEntry, Graph
from everdex.graph.stored.dependents import Dependents
from everdex.graph.stored.kept_interfaces import KeptInterfaces, Unread
from everdex.languages import role_of
from everdex.parse.interface_model import Entry, Interface
from everdex.state import model
from everdex.state.model import Certainty, FileState, Freshness, Reason, SymbolChange
from everdex.state.now import Now
from everdex.state.older import OlderContents
from everdex.view import SnapshotView

_MAX_SYMBOLS: Final = 20
_MAX_REASONS: Final = 20
_MAX_USERS: Final = 4_096


class Known:
    """A graph at hand, of the base or of a snapshot near it; its edges are joined when something has changed."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def dependents(self) -> Dependents:
        return Dependents(self.graph)


class _Compared(msgspec.Struct, frozen=True):
    """A changed file as its dependents see it: `code` is empty when its interface is what it was."""

    code: str
    detail: str = ""
    changes: tuple[tuple[str, str | None, str | None], ...] = ()  # symbol, before, after
    private: tuple[tuple[str, str | None, str | None], ...] = ()


class States:
    """The states of one base against one now; for one thread."""

    def __init__(
        self, view: SnapshotView, known: Known | None, now: Now, interfaces: KeptInterfaces,
        *, since: bool, parse_bytes: int | None, earlier: Known | None = None,
    ) -> None:  # fmt: skip
        """With `since` the base is the snapshot that the caller knows, whatever snapshot the graph is of. `earlier` is
        the base's own graph, if it is kept: it tells who used the files that were deleted since.

        With `parse_bytes`, files beyond that many bytes in all are not parsed: their interface is not known yet.
        """
        self._view = view
        self._known = known
        self._earlier = earlier
        self._now = now
        self._interfaces = interfaces
        self._since = since
        self._left = parse_bytes
        self._base = {line.path_key: line.content_hash for line in view.file_lines()}
        self._skipped = {line.path_key: line.skip for line in view.file_lines() if line.skip is not None}
        self._older = OlderContents(view.store, known.graph.digest) if known is not None and not since else None
        self._users = lru_cache(maxsize=_MAX_USERS)(self._users_of)

    def close(self) -> None:
        if self._older is not None:
            self._older.close()

    def of(self, path: str) -> FileState:
        """The state of one path key, also of one that nobody knows."""
        base = self._base.get(path)
        if path in self._now.changed:
            return self._changed(path, base)
        if base is None:
            return FileState(path, Freshness.UNINDEXED, Certainty.UNKNOWN, (Reason(model.NOT_INDEXED),))
        reasons = self._reasons(path)
        freshness = _freshness(reasons)
        certainty, doubts = self._certainty(path) if freshness is Freshness.CLEAN else (Certainty.UNKNOWN, ())
        return FileState(path, freshness, certainty, (*reasons, *doubts), base, base)

    def batch(self, paths: Iterable[str] | None = None) -> list[FileState]:
        """The states of these paths, or of every file that is indexed or changed."""
        chosen = sorted(self._base.keys() | self._now.changed.keys()) if paths is None else paths
        return [self.of(path) for path in chosen]

    def unclean(self) -> tuple[Counter[str], list[FileState]]:
        """How many files, indexed or changed, are how fresh; and the states of those that are not clean."""
        if self._all_clean:
            return Counter({str(Freshness.CLEAN): len(self._base)} if self._base else {}), []
        every = self.batch()
        counts = Counter(str(state.freshness) for state in every)
        return counts, [state for state in every if state.freshness is not Freshness.CLEAN]

    @property
    def _all_clean(self) -> bool:
        """Whether no file can be anything else: nothing has changed, and the graph is that of the base."""
        made = self._known is None or self._known.graph.digest == self._view.manifest.digest
        return made and not self._now.changed

    def _changed(self, path: str, base: str | None) -> FileState:
        if self._now.changed[path] is None:
            return FileState(path, Freshness.DIRTY, Certainty.UNKNOWN, (Reason(model.GONE),), base, None)
        content = self._now.content(path)
        now = content.content_hash if content is not None else None
        if base is None:
            return FileState(path, Freshness.UNINDEXED, Certainty.UNKNOWN, (Reason(model.NEW_FILE),), None, now)
        own = Reason(model.CONTENT_CHANGED)
        return FileState(path, Freshness.DIRTY, Certainty.UNKNOWN, (own, *self._reasons(path)), base, now)

    # -- dependencies --------------------------------------------------------------------------

    def _reasons(self, path: str) -> tuple[Reason, ...]:
        """Why a file is not clean, although its own content is what the base has."""
        if self._known is None:
            unknown = _may_depend(path) and any(map(_may_depend, self._now.changed))
            return (Reason(model.DEPENDENCIES_UNKNOWN),) if unknown else ()
        number = self._known.graph.number(path)
        if number is None:
            return self._forgotten(path)
        reasons = list(self._forgotten(path))
        entry = self._known.graph.files[number]
        if path not in self._now.changed and self._is_behind(entry):
            reasons.append(Reason(model.NOT_RESOLVED))
        direct = self._direct.get(number, ())
        reasons += [self._witness(number, seed) for seed in direct[:_MAX_REASONS]]
        if not direct and number in self._stale:
            reasons.append(_inherited(self._known.graph, model.DEPENDENCY_STALE, number, self._stale))
        elif not direct and number in self._pending:
            reasons.append(_inherited(self._known.graph, model.DEPENDENCY_UNCHECKED, number, self._pending))
        return tuple(reasons)

    @cached_property
    def _gone(self) -> list[str]:
        """Files of the base that were deleted and are no longer in the graph, so that it cannot tell who used them."""
        if self._known is None or not self._since:
            return []
        gone = [path for path, size in self._now.changed.items() if size is None and path in self._base]
        return sorted(path for path in gone if _may_depend(path) and self._known.graph.number(path) is None)

    def _forgotten(self, path: str) -> tuple[Reason, ...]:
        """Reasons for a file that used deleted files, from the base's own graph; unknown when that is not kept."""
        if not self._gone or not _may_depend(path):
            return ()
        if self._earlier is None:
            return (Reason(model.DEPENDENCIES_UNKNOWN),)
        graph, dependents = self._earlier.graph, self._earlier.dependents
        number, seeds = graph.number(path), [seed for each in self._gone if (seed := graph.number(each)) is not None]
        direct = [graph.paths[seed] for seed in seeds if number in dependents.of(seed)]
        if number is not None and not direct and number in (through := dependents.reach(seeds)):
            return (_inherited(graph, model.DEPENDENCY_STALE, number, through),)
        return tuple(Reason(model.DEPENDENCY_GONE, each) for each in direct[:_MAX_REASONS])

    def _witness(self, number: int, seed: int) -> Reason:
        assert self._known is not None
        path = self._known.graph.paths[seed]
        found = self._compared[seed]
        changes = found.changes or found.private
        # What this file uses comes first: a long list is cut.
        named = [SymbolChange(*change, number in self._users(path, change[0])) for change in changes]
        listed = sorted(named, key=lambda item: (not item.used, item.name))
        code = found.code or model.DEPENDENCY_CHANGED
        return Reason(code, path, found.detail, (), tuple(listed[:_MAX_SYMBOLS]), max(0, len(listed) - _MAX_SYMBOLS))

    @cached_property
    def _compared(self) -> dict[int, _Compared]:
        """Every file of the graph whose content is another now, by its number."""
        assert self._known is not None
        found: dict[int, _Compared] = {}
        if self._all_clean:
            return found
        for number, entry in enumerate(self._known.graph.files):
            if entry.path in self._now.changed or self._is_behind(entry):
                found[number] = self._compare(entry)
        return found

    def _is_behind(self, entry: FileEntry) -> bool:
        """Whether the graph was made with another content of a file than the base has."""
        return not self._since and entry.content.hex() != self._base.get(entry.path)

    @cached_property
    def _direct(self) -> dict[int, list[int]]:
        """Of each file, the changed files it depends on by an interface that changed, or may have."""
        assert self._known is not None
        direct: dict[int, list[int]] = {}
        for seed, found in self._compared.items():
            if found.code:
                users: Iterable[int] = self._known.dependents.of(seed)
            else:
                path = self._known.graph.paths[seed]
                users = {user for name, *_ in found.private for user in self._users(path, name)}
            for user in users:
                if user != seed:
                    direct.setdefault(user, []).append(seed)
        return direct

    def _users_of(self, path: str, name: str) -> set[int]:
        assert self._known is not None
        return self._known.dependents.users_of(path, name)

    @cached_property
    def _stale(self) -> dict[int, int]:
        return self._reach(sure=True)

    @cached_property
    def _pending(self) -> dict[int, int]:
        return self._reach(sure=False)

    def _reach(self, *, sure: bool) -> dict[int, int]:
        assert self._known is not None
        unsure = model.DEPENDENCY_UNCHECKED
        seeds = [seed for seed, found in self._compared.items() if found.code and (found.code != unsure) is sure]
        return self._known.dependents.reach(seeds)

    # -- interfaces ----------------------------------------------------------------------------

    def _compare(self, entry: FileEntry) -> _Compared:
        path = entry.path
        gone = self._now.changed.get(path, 0) is None or (path not in self._base and path not in self._now.changed)
        if gone:
            return _Compared(model.DEPENDENCY_GONE)
        try:
            after = self._after(path)
            # As others were resolved against it, and as the base has it, if that is not the same.
            used = {self._base.get(path)} if self._since else {entry.content.hex(), self._base.get(path)}
            compared = [self._difference(path, content, after) for content in sorted(filter(None, used))]
        except Unread as error:
            return _Compared(model.DEPENDENCY_UNCHECKED, error.detail)
        if not compared:  # the base has not seen it: whoever uses it now uses something new
            return _Compared(model.DEPENDENCY_CHANGED)
        return next((found for found in compared if found.code), compared[0])

    def _difference(self, path: str, content: str, after: Interface | None) -> _Compared:
        """A content of a file that others rely on, against its interface now."""

        def read() -> bytes:
            here = self._base.get(path) == content
            data = self._source(path) if here else self._older.read(path, content) if self._older else None
            if data is None:
                raise Unread("not_kept")
            self._spend(len(data))
            return data

        before = self._interfaces.of(path, content, read)
        if before is None or after is None:
            return _Compared(model.DEPENDENCY_CHANGED)  # nothing tells interface from content
        if after.partial and not before.partial:
            return _Compared(model.DEPENDENCY_UNCHECKED, "syntax_errors")
        if before.hash != after.hash:
            return _Compared(model.DEPENDENCY_CHANGED, "", _difference(before.public, after.public))
        return _Compared("", private=_difference(before.private, after.private))

    def _source(self, path: str) -> bytes:
        try:
            return self._view.source(path)
        except KeyError:  # skipped for its content: there is no text of it
            raise Unread("unreadable") from None

    def _after(self, path: str) -> Interface | None:
        if path not in self._now.changed:
            return self._interfaces.of(path, self._base[path], lambda: self._source(path))
        size = self._now.changed[path] or 0
        if self._left is not None and size > self._left:
            raise Unread("budget")
        content = self._now.content(path)
        if content is None:
            raise Unread("unreadable")

        def read() -> bytes:
            self._spend(len(content.data))
            return content.data

        return self._interfaces.of(path, content.content_hash, read)

    def _spend(self, size: int) -> None:
        if self._left is None:
            return
        if size > self._left:
            raise Unread("budget")
        self._left -= size

    # -- certainty -----------------------------------------------------------------------------

    def _certainty(self, path: str) -> tuple[Certainty, tuple[Reason, ...]]:
        if path in self._skipped:  # known by its hash, but neither searched nor resolved
            return Certainty.UNKNOWN, (Reason(model.NOT_INDEXED, detail=self._skipped[path]),)
        number = self._known.graph.number(path) if self._known is not None else None
        if self._known is None or number is None:
            why = model.UNRESOLVED_LANGUAGE if self._known is not None else model.DEPENDENCIES_UNKNOWN
            return Certainty.UNKNOWN, (Reason(why),)
        entry = self._known.graph.files[number]
        if entry.partial or entry.failed:
            return Certainty.UNKNOWN, (Reason(model.SYNTAX_ERRORS, detail=entry.failed),)
        _, ambiguous, _, unresolved = entry.calls
        if ambiguous or unresolved:
            detail = f"{ambiguous} ambiguous, {unresolved} unresolved calls"
            return Certainty.AMBIGUOUS, (Reason(model.AMBIGUOUS_REFERENCES, detail=detail),)
        return Certainty.CERTAIN, ()


_STALE: Final = frozenset((model.DEPENDENCY_CHANGED, model.DEPENDENCY_GONE, model.DEPENDENCY_STALE))
_PENDING: Final = frozenset((model.DEPENDENCY_UNCHECKED, model.DEPENDENCIES_UNKNOWN))


def _inherited(graph: Graph, code: str, number: int, through: Mapping[int, int]) -> Reason:
    """What a file depends on by way of others."""
    way = []
    while number in through:
        number = through[number]
        way.append(graph.paths[number])
    return Reason(code, way[-1], "", tuple(way[:-1]))


def _may_depend(path: str) -> bool:
    """Whether a file may use another, or be used."""
    return role_of(path) not in ("doc", "config")


def _freshness(reasons: Sequence[Reason]) -> Freshness:
    codes = {reason.code for reason in reasons}
    if model.NOT_RESOLVED in codes:
        return Freshness.DIRTY
    if codes & _STALE:
        return Freshness.STALE
    return Freshness.PENDING_CHECK if codes & _PENDING else Freshness.CLEAN


def _difference(
    before: Sequence[Entry], after: Sequence[Entry]
) -> tuple[tuple[str, str | None, str | None], ...]:
    """(symbol, before, after) of each symbol that came, went or reads otherwise; overloads read as one."""
    old, new = _by_name(before), _by_name(after)
    names = sorted(old.keys() | new.keys())
    return tuple((name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name))


def _by_name(entries: Sequence[Entry]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for entry in entries:
        found.setdefault(entry.name, []).append(entry.signature or entry.kind)
    return {name: " | ".join(signatures) for name, signatures in found.items()}
