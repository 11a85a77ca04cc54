"""Indexes of real indexers with something changed in them: imported and answered, or refused by name and whole."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from everdex.errors import ScipInvalid
from everdex.graph.making.build import build
from everdex.graph.making.overlay import overlay
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.semantic import kept
from everdex.semantic.importing import import_scip
from everdex.view import SnapshotView, open_view
from support.graphs import silent
from support.scip_mutations import mutated
from support.scips import CONTEXT
from support.stores import workspace

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "scip"
_TIMES = 60


@pytest.mark.parametrize("name", ["python", "typescript"])
@pytest.mark.parametrize("vouched", [True, False], ids=["vouched", "unvouched"])
def test_a_changed_index_is_imported_or_refused(tmp_path: Path, name: str, vouched: bool) -> None:
    """`ScipInvalid` leaves what was kept; whatever is taken lies on names of the files, and every graph can be made."""
    shutil.copytree(_FIXTURES / name, tmp_path / name)
    made = workspace(tmp_path / name)
    made.sync()
    chosen = random.Random(f"{name}{vouched}")
    whole = (_FIXTURES / f"{name}.scip").read_bytes()
    file = tmp_path / "index.scip"
    outcomes = set()
    with open_view(made.store) as view:
        hashes = {line.path_key: line.content_hash for line in view.file_lines()} if vouched else None
        text = Graph(build(view, Resolvers(), None, workers=1, progress=silent).data, "memory")
        for _ in range(_TIMES):
            kept.facts_path(made.store, CONTEXT.id).unlink(missing_ok=True)
            file.write_bytes(mutated(whole, chosen))
            try:
                import_scip(view, file, CONTEXT, hashes)
            except ScipInvalid:
                outcomes.add("refused")
                assert not kept.facts_path(made.store, CONTEXT.id).exists()
                continue
            outcomes.add("imported")
            semantic = kept.facts_of(view)
            _check(view, semantic)
            Graph(b"".join(overlay(view, text, semantic, None, "fuzzed")), "memory")
    assert outcomes == {"imported", "refused"}


def _check(view: SnapshotView, semantic: kept.Semantic) -> None:
    for path in semantic.chosen:
        source, document = view.source(path), semantic.document(path)
        for start, length in zip(document.starts, document.lengths, strict=True):
            assert 0 <= start <= start + length <= len(source)
        for homes in document.homes:
            for home in homes:
                there, content = document.files[home.file]
                assert view.file_line(there).content_hash == content.hex()
                assert home.start <= len(view.source(there))
