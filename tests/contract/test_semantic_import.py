"""Imports: what is kept is about the very bytes of the snapshot, all of it or nothing of it is there, and it can go."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from everdex import limits
from everdex.errors import ScipInvalid, UsageError
from everdex.semantic import kept, scip
from everdex.semantic.importing import import_scip
from everdex.semantic.kept import ContextFacts
from everdex.semantic.model import CHANGED, MISPLACED, NOT_INDEXED, OTHER_TEXT, OUTSIDE, UNPROVEN, Document
from everdex.upkeep.audit import audit
from everdex.upkeep.health import health
from everdex.upkeep.housekeeping import gc_now
from everdex.upkeep.repair import repair
from everdex.view import open_view
from support.graphs import asker
from support.scips import CONTEXT, definition, document, import_into, index, reference, symbol
from support.stores import Workspace, synced

_CORE = "class Engine:\n    def go(self):\n        pass\n"
_APP = "def run(x):\n    x.go()\n"
_ENGINE = symbol("core/", "Engine#")
_GO = symbol("core/", "Engine#", "go().")
_CORE_SAID = document("core.py", _CORE, [definition("Engine", _ENGINE), definition("go", _GO)])
_APP_SAID = document("app.py", _APP, [reference("go", _GO)])


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", {"core.py": _CORE, "app.py": _APP})


def _paths(made: Workspace) -> list[str]:
    """Files of which facts count now."""
    with open_view(made.store) as view:
        return sorted(kept.facts_of(view).chosen)


def test_what_was_indexed_is_kept(made: Workspace) -> None:
    """Documents, places and symbols are counted; each file has its facts."""
    report = import_into(made, index(_CORE_SAID, _APP_SAID))
    assert (report.documents, report.occurrences, report.symbols, report.skipped) == (2, 3, 2, {})
    assert report.context.refreshed_at is not None
    assert _paths(made) == ["app.py", "core.py"]


def test_a_file_that_changed_while_the_indexer_ran_is_left_out(made: Workspace) -> None:
    """What its bytes were at the start is not what they are: left out and told, the rest is kept."""
    before = {name: hashlib.sha256((made.path / name).read_bytes()).hexdigest() for name in ("core.py", "app.py")}
    made.write({"app.py": "\n" + _APP})
    made.sync()
    report = import_into(made, index(_CORE_SAID, _APP_SAID), hashes=before)
    assert (report.documents, report.skipped, report.changed) == (1, {CHANGED: 1}, ("app.py",))
    assert _paths(made) == ["core.py"]


def test_facts_hold_for_the_bytes_they_are_about(made: Workspace) -> None:
    """An edit ends what is known of a file, and taking it back brings it back: nothing is ever stale."""
    import_into(made, index(_CORE_SAID, _APP_SAID))
    made.write({"core.py": _CORE + "# more\n"})
    made.sync()
    assert _paths(made) == ["app.py"]
    made.write({"core.py": _CORE})
    made.sync()
    assert _paths(made) == ["app.py", "core.py"]


def test_an_older_import_stays_where_the_new_one_says_nothing(made: Workspace) -> None:
    """A context's facts are replaced by path; what is kept of other bytes goes."""
    import_into(made, index(_CORE_SAID, _APP_SAID))
    report = import_into(made, index(document("app.py", _APP)))
    assert (report.documents, report.kept) == (1, 1)
    made.write({"core.py": _CORE + "# more\n"})
    made.sync()
    assert import_into(made, index(document("app.py", _APP))).kept == 0


@pytest.mark.parametrize("path", ["app.py", "core.py"])
def test_nobody_vouches_so_the_text_proves(made: Workspace, path: str) -> None:
    """A document that carries its text is about ours, or left out."""
    source = _APP if path == "app.py" else _CORE
    assert import_into(made, index(document(path, with_text=source)), vouched=False).documents == 1
    report = import_into(made, index(document(path, with_text=source + " ")), vouched=False)
    assert (report.documents, report.skipped) == (0, {OTHER_TEXT: 1})


def test_nobody_vouches_so_the_names_prove(made: Workspace) -> None:
    """Ranges have to lie on names, definitions on their own; an alias is left out alone."""
    said = document("core.py", _CORE, [definition("Engine", _ENGINE), definition("go", _GO), reference("self", _GO)])
    report = import_into(made, index(said), vouched=False)
    assert (report.documents, report.occurrences, report.skipped) == (1, 2, {UNPROVEN: 1})
    made.write({"core.py": "# moved\n" + _CORE})
    made.sync()
    report = import_into(made, index(said), vouched=False)
    assert (report.documents, report.skipped, report.changed) == (0, {MISPLACED: 1}, ("core.py",))


def test_files_that_are_not_indexed_are_no_ones_business(made: Workspace) -> None:
    """A document of a file outside the snapshot, a link out of the root among them, is counted and passed over."""
    outside = made.path.parent / "outside.py"
    outside.write_text(_CORE)
    (made.path / "link.py").symlink_to(outside)
    made.sync()
    said = [document(name, _CORE, [definition("Engine", _ENGINE)]) for name in ("gone.py", "link.py")]
    report = import_into(made, index(*said))
    assert (report.documents, report.skipped, report.changed) == (0, {NOT_INDEXED: 2}, ())


def test_paths_are_below_the_contexts_root(tmp_path: Path) -> None:
    """What an indexer calls core.py in web/ is web/core.py here."""
    made = synced(tmp_path / "tree", {"web/core.py": _CORE})
    context = msgspec.structs.replace(CONTEXT, root="web")
    assert import_into(made, index(_CORE_SAID), context=context).documents == 1
    assert _paths(made) == ["web/core.py"]


def test_a_refused_index_changes_nothing(made: Workspace) -> None:
    """Its last document is damaged: nothing of the others is kept, and what was there stays."""
    import_into(made, index(_CORE_SAID))
    before = kept.stamp(made.store)
    with pytest.raises(ScipInvalid):
        import_into(made, index(_APP_SAID, document("x.py") + b"\xff"))
    assert kept.stamp(made.store) == before


def test_an_id_that_names_no_file_is_refused(made: Workspace) -> None:
    """A context cannot reach out of its directory."""
    for bad in ("", "../x", "a/b", ".hidden", "x" * 200):
        with pytest.raises(UsageError), open_view(made.store) as view:
            import_scip(view, made.path / "nowhere", msgspec.structs.replace(CONTEXT, id=bad), None)


def test_the_context_that_was_refreshed_last_speaks(made: Workspace) -> None:
    """Two contexts know a file: one says it, the other again when that one is removed or switched off."""
    import_into(made, index(document("app.py", _APP, [reference("go", _GO)])))
    other = msgspec.structs.replace(CONTEXT, id="other")
    import_into(made, index(document("app.py", _APP)), context=other)
    with open_view(made.store) as view:
        assert kept.facts_of(view).chosen["app.py"][0].context.id == "other"
        kept.facts_path(made.store, "other").unlink()
        assert kept.facts_of(view).chosen["app.py"][0].context.id == "test"
    import_into(made, index(document("app.py", _APP)), context=msgspec.structs.replace(CONTEXT, enabled=False))
    assert _paths(made) == []


def test_the_same_facts_are_the_same_bytes(made: Workspace) -> None:
    """What is kept depends on what was said, but for the time of it."""
    texts = []
    for _ in range(2):
        import_into(made, index(_CORE_SAID, _APP_SAID))
        facts = kept.ContextFacts(kept.facts_path(made.store, "test"))
        texts.append([(entry, facts.raw(entry)) for entry in facts.entries])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("place", [0, 16, 24, 40, -3])
def test_damaged_facts_are_not_used_and_told(made: Workspace, place: int) -> None:
    """A flipped bit anywhere: answers come from the text with a warning, health warns, repair removes the file."""
    import_into(made, index(_CORE_SAID, _APP_SAID))
    path = kept.facts_path(made.store, "test")
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    answer = asker(made)("callers", "Engine.go")
    assert answer["coverage"]["semantic"] == 0
    assert any("not used" in warning for warning in answer["warnings"])
    check = health(made.root, made.config, made.store).check("semantic")
    assert (check.status, check.details) == ("warn", {"damaged": ["test.facts"]})
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert [item.artifact for item in report.damage] == ["semantic/test.facts"]
    assert health(made.root, made.config, made.store).check("semantic").status == "ok"
    assert not path.exists()
    import_into(made, index(_CORE_SAID, _APP_SAID))
    assert asker(made)("callers", "Engine.go")["coverage"]["semantic"] == 2


def test_a_damaged_file_is_replaced_by_the_next_import(made: Workspace) -> None:
    """What cannot be believed is not carried over."""
    import_into(made, index(_CORE_SAID))
    kept.facts_path(made.store, "test").write_bytes(b"rubbish")
    assert import_into(made, index(_APP_SAID)).kept == 0
    assert _paths(made) == ["app.py"]


def test_positions_in_every_encoding_lead_to_the_same_bytes(tmp_path: Path) -> None:
    """An index that counts UTF-16 units says the same as one that counts bytes."""
    source = "def grüßen(x): x.go()  # 😀\n"
    made = synced(tmp_path / "tree", {"app.py": source, "core.py": _CORE})
    found = []
    for encoding in (scip.UTF8, scip.UTF16, scip.UTF32):
        import_into(made, index(document("app.py", source, [reference("go", _GO)], encoding=encoding)))
        with open_view(made.store) as view:
            found.append(kept.facts_of(view).document("app.py").starts)
    assert found == [(source.encode().index(b"go"),)] * 3


def test_what_a_file_that_was_left_out_defines_is_not_outside(made: Workspace) -> None:
    """The only file of a package changed meanwhile: who uses it is told nothing, not that it lies elsewhere."""
    hashes = {"app.py": hashlib.sha256(_APP.encode()).hexdigest(), "core.py": hashlib.sha256(b"before").hexdigest()}
    import_into(made, index(_CORE_SAID, _APP_SAID), hashes=hashes)
    (callee,) = asker(made)("callees", "run")["callees"]
    assert (callee["certainty"], callee["layer"]) == ("ambiguous", "syntactic")


def test_of_what_is_defined_all_over_nothing_is_said(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symbol with more definitions than are kept is not half told, and not outside: each would list them all."""
    monkeypatch.setattr(limits, "MAX_SCIP_HOMES", 1)
    also = document("core.py", _CORE, [definition("Engine", _ENGINE), definition("go", _GO), definition("pass", _GO)])
    import_into(made, index(also, _APP_SAID))
    (callee,) = asker(made)("callees", "run")["callees"]
    assert (callee["certainty"], callee["layer"]) == ("ambiguous", "syntactic")


def test_a_file_that_two_projects_share_has_what_both_say(made: Workspace) -> None:
    """Two documents of one file are taken together, each occurrence once."""
    also = document("core.py", _CORE, [definition("go", _GO), definition("go", symbol("core/", "go().", package="q"))])
    report = import_into(made, index(_CORE_SAID, also, _APP_SAID))
    assert (report.documents, report.occurrences) == (2, 4)
    (callee,) = asker(made)("callees", "run")["callees"]
    assert (callee["certainty"], callee["layer"]) == ("resolved", "semantic")


def test_two_documents_of_a_file_have_to_be_about_it_both(made: Workspace) -> None:
    """One that is about other bytes puts the file out."""
    other = document("core.py", "\n" + _CORE, [definition("Engine", _ENGINE)])
    report = import_into(made, index(_CORE_SAID, other, _APP_SAID))
    assert (report.documents, report.skipped, report.changed) == (1, {MISPLACED: 1}, ("core.py",))


@pytest.mark.parametrize(
    "path", ["../core.py", "/etc/passwd", "x/../core.py", "..\\core.py", "core.py/", "%2e%2e/core.py", ""]
)
def test_documents_outside_are_counted_and_nothing_else(made: Workspace, path: str) -> None:
    """The rest of the index counts; what lies outside is not outside of its package."""
    report = import_into(made, index(document(path, _CORE, [definition("go", _GO)]), _APP_SAID))
    reason = NOT_INDEXED if "%" in path else OUTSIDE
    assert (report.documents, report.skipped, report.changed) == (1, {reason: 1}, ())
    (callee,) = asker(made)("callees", "run")["callees"]
    assert (callee["certainty"], callee["layer"]) == ("ambiguous", "syntactic")


def test_definitions_are_bounded(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are held in memory all at once; an index with more is refused whole."""
    monkeypatch.setattr(limits, "MAX_SCIP_DEFINITIONS", 1)
    with pytest.raises(ScipInvalid, match="definitions"):
        import_into(made, index(_CORE_SAID, _APP_SAID))
    assert _paths(made) == []


# -- looking after what is kept ------------------------------------------------------------------


def _forget_history(made: Workspace) -> None:
    """Publish until no snapshot with today's files is retained."""
    for number in range(limits.RETAIN_SNAPSHOTS_MIN + 1):
        made.write({"other.py": f"x = {number}\n"})
        made.sync()


def test_facts_about_bytes_of_no_snapshot_are_collected(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as one document may count again for a retained snapshot they stay; then they go, by name."""
    monkeypatch.setattr(limits, "RETAIN_SNAPSHOTS_MIN_AGE_S", 0)
    monkeypatch.setattr(limits, "QUERY_TIMEOUT_MS", 0)
    monkeypatch.setattr(limits, "GC_SAFETY_MARGIN_MS", 0)
    import_into(made, index(_CORE_SAID, _APP_SAID))
    path = kept.facts_path(made.store, CONTEXT.id)
    size = path.stat().st_size
    made.write({"core.py": "x = 1\n"})
    _forget_history(made)
    assert gc_now(made.store, dry_run=False).semantic == ()  # app.py is as it was
    made.write({"app.py": "x = 1\n"})
    made.sync()
    assert gc_now(made.store).semantic == ()  # an older snapshot has it
    _forget_history(made)
    told = gc_now(made.store)
    assert (told.semantic, told.bytes_freed >= size, path.exists()) == ((path.name,), True, True)
    assert gc_now(made.store, dry_run=False).semantic == (path.name,)
    assert not path.exists()


def test_a_collection_leaves_what_it_cannot_read(made: Workspace) -> None:
    """A damaged file is repair's, one of another everdex its own."""
    import_into(made, index(_APP_SAID))
    path = kept.facts_path(made.store, CONTEXT.id)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    made.write({"app.py": "x = 1\n"})
    made.sync()
    gc_now(made.store, dry_run=False, keep=1)
    assert path.exists()


def test_an_audit_names_damaged_facts(made: Workspace) -> None:
    """The file, or the document in it whose numbers are not what is there; clean facts find nothing."""
    import_into(made, index(_CORE_SAID, _APP_SAID))
    assert audit(made.store).clean
    path = kept.facts_path(made.store, CONTEXT.id)
    facts = ContextFacts(path)
    stored = [kept.Stored(entry.path, entry.content, facts.raw(entry), 99) for entry in facts.entries]
    kept.write(made.store, CONTEXT, frozenset(), stored)
    found = audit(made.store).findings
    assert {(item.code, item.subject) for item in found} == {
        ("semantic_occurrences", f"semantic/test.facts#{name}") for name in ("app.py", "core.py")
    }
    far = Document((), (_GO,), ((),), (10_000,), (2,), (0,), (0,), ())
    content = next(entry.content for entry in facts.entries if entry.path == "app.py")
    kept.write(made.store, CONTEXT, frozenset(), [kept.stored("app.py", content, far)])
    assert [item.code for item in audit(made.store).findings] == ["semantic_places"]
    kept.write(made.store, CONTEXT, frozenset(), [kept.Stored("app.py", content, b"no document", 0)])
    assert [item.code for item in audit(made.store).findings] == ["semantic_damaged"]
    path.write_bytes(b"x" + path.read_bytes()[1:])
    assert [(item.code, item.subject) for item in audit(made.store).findings] == [
        ("semantic_damaged", "semantic/test.facts")
    ]
