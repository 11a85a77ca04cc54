"""Opens graphs, and makes those that are not there, for whoever asks once and for those that keep them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from everdex import limits
from everdex.errors import StorageFailure
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.making.keep import find_graph, open_graph
from everdex.graph.model import Role
from everdex.graph.resolvers import Resolvers
from everdex.memory import remembering
from everdex.service.index import Index
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView, open_view

if TYPE_CHECKING:
    from everdex.canvas.sheet import Caption
    from everdex.graph.answers.queries import CouldAdd
    from everdex.graph.answers.ways import Way
    from everdex.service.picturing import Plan
    from everdex.state.unknown import Unseen

_KEPT_COUNTS: Final = 1_000


class Open:
    """A graph at hand; a process that stays keeps it with its view, and with it the last maps and plans made of it.

    Those take the whole graph and say little, so they are asked for again and again; nobody may change them. The same
    holds for what may be missing from an answer: every file with the name is read for it.
    """

    def __init__(self, atlas: Atlas, warnings: tuple[str, ...] = (), ways: tuple[Way, ...] = ()) -> None:
        self.atlas = atlas
        self.warnings = warnings
        self.ways = ways  # in which files that wait may use what is asked about
        self.map = remembering(self._map, limits.SUMMARIES_KEPT)
        self.architecture = remembering(self._architecture, limits.SUMMARIES_KEPT)
        self.unseen_uses = remembering(self._unseen_uses, _KEPT_COUNTS)
        self.could_call = remembering(self._could_call, _KEPT_COUNTS)

    def _map(self, budget: int) -> dict[str, Any]:
        from everdex.graph.overview.repo_map import repo_map  # which most answers do without, as pictures

        return repo_map(self.atlas, budget)

    def _architecture(self, name: str, caption: Caption, depth: int | None) -> Plan:
        from everdex.service import picturing

        return picturing.plan(self.atlas, name, caption, depth)

    def _unseen_uses(self, definition: Definition, roles: frozenset[Role] | None) -> Unseen:
        from everdex.state.unknown import unseen_uses  # who opens a graph for the states of files asks nothing of it

        return unseen_uses(self.atlas, definition, roles)

    def could_add(
        self, definition: Definition, roles: frozenset[Role] | None, others: Iterable[Definition] = ()
    ) -> CouldAdd:
        """What may be missing from an answer about a definition, and about others that go with it."""
        from everdex.graph.answers import queries

        counted = queries.could_add(self.atlas, [definition, *others], roles)
        unseen = self.unseen_uses(definition, roles)
        return replace(counted, unknown=unseen.unknown, written=unseen.written)

    def _could_call(self, definition: Definition, is_called: bool) -> CouldAdd:
        """What may be missing from the callers of a definition."""
        from everdex.graph.answers import queries

        return replace(
            self.could_add(definition, frozenset({Role.CALL})), named=queries.named(self.atlas, definition),
            elsewhere=0 if is_called else queries.elsewhere(self.atlas, definition),
        )  # fmt: skip


def open_for(view: SnapshotView, options: SyncOptions) -> Open:
    """The graph of a view, made if need be."""
    found = open_graph(view, Resolvers(), workers=options.workers, progress=options.progress)
    return Open(Atlas(view, found.graph), found.warnings)


def open_made(view: SnapshotView) -> Open | None:
    """The graph of a view if somebody made it."""
    found = find_graph(view, Resolvers())
    return None if found is None else Open(Atlas(view, found))


@dataclass(frozen=True, slots=True)
class Made:
    """What making a graph took."""

    changed: int
    resolved: int


def make(index: Index, snapshot_id: str, options: SyncOptions, known: Resolvers) -> Made:
    """Make the graph of a snapshot for whoever asks next, unless it is there."""
    with open_view(index.store(), snapshot_id) as view:
        found = open_graph(view, known, workers=options.workers, progress=options.progress)
        if find_graph(view, known) is None:
            # Whoever asks next would have it made once more, and so on for ever.
            said = found.warnings[-1] if found.warnings else "the graph is gone as soon as it was made"
            raise StorageFailure(said, hint="free disk space; with --offline a command answers without keeping it")
        return Made(found.changed, found.resolved)
