"""The kept graph: made when asked for, incrementally, by one process at a time, and never trusted when damaged."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from everdex import clock, limits
from everdex.durable import replace_atomically
from everdex.errors import StorageFailure
from everdex.graph.making import crew, keep
from everdex.graph.making.build import build
from everdex.graph.resolvers import Resolvers
from everdex.snapshot import active
from everdex.surfaces.cli.failures import as_everdex
from everdex.upkeep.housekeeping import gc_now
from everdex.view import SnapshotView, open_view
from support.graphs import TOY, kept, rebuilt, same_bytes, silent, sites
from support.processes import Child
from support.stores import Workspace, synced

_FILES = {
    "a.txt": "import b\ndef f(x)\ncall g\ncall h\n",
    "b.txt": "import c\ndef g()\ncall lib.z\n",
    "c.txt": "def h()\n",
    "d.txt": "call h\ncall nope\n",
    "notes.md": "# No resolver speaks for this\n",
}


def _graph_files(made: Workspace) -> list[Path]:
    return sorted(made.store.graphs.glob("*.graph"))


def test_every_site_is_resolved_ambiguous_external_or_unresolved(tmp_path: Path) -> None:
    """What a resolver says of a site comes back from disk as it was said; files of other languages are not in."""
    made = synced(tmp_path / "tree", _FILES)
    assert sites(made) == {
        "a.txt": [("g", "resolved", "b.txt::g"), ("h", "resolved", "c.txt::h")],
        "b.txt": [("lib.z", "external", "::lib.z")],
        "c.txt": [],
        "d.txt": [("h", "ambiguous", "c.txt::h"), ("nope", "unresolved")],
    }


def test_what_is_to_be_made_is_said_before_the_first_file_is_read(tmp_path: Path) -> None:
    """Reading a first batch of a large tree takes seconds: whoever waits has heard of it by then."""
    made = synced(tmp_path / "tree", _FILES)
    heard: list[tuple[str, int, int]] = []
    with open_view(made.store) as view:
        keep.open_graph(view, TOY, workers=1, progress=lambda *step: heard.append(step))
    assert heard[0] == ("offers", 0, 4)
    assert heard[-1] == ("graph", 4, 4)


def _many(count: int = 100) -> dict[str, str]:
    chain = {f"m{at}.txt": f"import m{at + 1}\ndef f{at}()\ncall f{at + 1}\n" for at in range(count)}
    return {**chain, f"m{count}.txt": f"def f{count}()\n", "loose.txt": f"call f{count}\ncall f0\n"}


def _ended_after(made: Workspace, files: int) -> BaseException:
    """Somebody loses patience when so many files are resolved."""

    def progress(phase: str, done: int, _total: int) -> None:
        if phase == "graph" and done == files:
            raise KeyboardInterrupt

    with open_view(made.store) as view, pytest.raises(KeyboardInterrupt) as ended:
        keep.open_graph(view, TOY, workers=1, progress=progress)
    return ended.value


def test_who_asks_again_goes_on_where_the_making_was_ended(tmp_path: Path) -> None:
    """What was resolved is kept and said; what comes out is what would have come out, and nothing else is left."""
    made = synced(tmp_path / "tree", _many())
    known = as_everdex(_ended_after(made, 70))
    assert (known.exit_code, known.hint) == (12, "70 of 102 files are resolved and kept: ask again to go on")
    assert _graph_files(made) == []
    assert "32 of 32" not in as_everdex(_ended_after(made, 5)).hint  # too little to be kept: what there was stays
    found = kept(made)
    assert found.resolved == 32
    assert same_bytes(found.graph, rebuilt(made).data)
    assert [path.suffix for path in made.store.graphs.iterdir() if path.suffix == ".unfinished"] == []


def test_what_was_begun_serves_a_tree_that_moved_on(tmp_path: Path) -> None:
    """Files that changed meanwhile, are new or gone, and who looked at what they offer, are resolved as they are."""
    made = synced(tmp_path / "tree", _many())
    _ended_after(made, 90)
    made.write({"m7.txt": "def g7()\n", "new.txt": "import m50\ncall f50\n"})
    made.remove("m20.txt")
    made.sync()
    found = kept(made)
    assert found.resolved < 40
    assert same_bytes(found.graph, rebuilt(made).data)


def test_what_was_begun_is_never_trusted_when_damaged(tmp_path: Path) -> None:
    made = synced(tmp_path / "tree", _many())
    _ended_after(made, 90)
    (begun,) = made.store.graphs.glob("*.unfinished")
    begun.write_bytes(begun.read_bytes()[:-9] + b"not as it")
    found = kept(made)
    assert (found.resolved, same_bytes(found.graph, rebuilt(made).data)) == (102, True)


def test_what_was_begun_answers_nothing(tmp_path: Path) -> None:
    """It is no graph of a snapshot: whoever makes none finds none."""
    made = synced(tmp_path / "tree", _many())
    _ended_after(made, 90)
    with open_view(made.store) as view:
        assert keep.find_graph(view, TOY) is None
        assert keep.kept_graph(view, TOY) is None


def test_a_graph_is_made_once(tmp_path: Path) -> None:
    """The second question finds it, also from another process's file; nothing is resolved again."""
    made = synced(tmp_path / "tree", _FILES)
    first, second = kept(made), kept(made)
    assert (first.made, first.resolved) == (True, 4)
    assert (second.made, second.resolved) == (False, 0)
    assert same_bytes(second.graph, bytes(first.graph.data))


def test_an_edit_resolves_itself_and_who_looked(tmp_path: Path) -> None:
    """A definition that goes reaches who looked at it, through others too, and nobody else."""
    made = synced(tmp_path / "tree", _FILES)
    kept(made)
    made.write({"c.txt": "def other()\n"})
    made.sync()
    after = kept(made)
    assert (after.changed, after.resolved) == (1, 3)  # c itself; a looked for h in it, d for the name h anywhere
    assert sites(made)["a.txt"][1] == ("h", "unresolved")
    assert same_bytes(after.graph, rebuilt(made).data)


def test_an_edited_body_is_nobody_elses_business(tmp_path: Path) -> None:
    """Positions are no part of what a file offers."""
    made = synced(tmp_path / "tree", _FILES)
    kept(made)
    made.write({"c.txt": "\n\ndef h()\ncall lib.new\n"})
    made.sync()
    after = kept(made)
    assert (after.changed, after.resolved) == (1, 1)
    assert same_bytes(after.graph, rebuilt(made).data)


def test_a_file_that_comes_and_goes_is_followed(tmp_path: Path) -> None:
    """A missing import is found when its file appears, lost when it goes, and found under its new path."""
    made = synced(tmp_path / "tree", {"a.txt": "import late\ncall x\n"})
    assert sites(made)["a.txt"] == [("x", "unresolved")]
    made.write({"late.txt": "def x()\n"})
    made.sync()
    assert sites(made)["a.txt"] == [("x", "resolved", "late.txt::x")]
    (made.path / "deep").mkdir()
    (made.path / "late.txt").rename(made.path / "deep" / "late.txt")
    made.sync()
    assert sites(made)["a.txt"] == [("x", "resolved", "deep/late.txt::x")]
    made.remove("deep/late.txt")
    made.sync()
    assert sites(made) == {"a.txt": [("x", "unresolved")]}


def test_an_older_snapshot_has_its_own_graph(tmp_path: Path) -> None:
    """Whatever was published since, `--snapshot` sees the edges of its time."""
    made = synced(tmp_path / "tree", _FILES)
    old = active.pin(made.store).manifest.snapshot_id
    kept(made)
    made.write({"c.txt": "def renamed()\n"})
    made.sync()
    assert sites(made)["a.txt"][1] == ("h", "unresolved")
    for path in _graph_files(made):
        path.unlink()
    assert sites(made, old)["a.txt"][1] == ("h", "resolved", "c.txt::h")


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "foreign", "not a graph"])
def test_a_damaged_graph_is_made_again(tmp_path: Path, damage: str) -> None:
    """Cut short, one bit changed, empty, another snapshot's under its name: never believed, always replaced."""
    made = synced(tmp_path / "tree", _FILES)
    good = bytes(kept(made).graph.data)
    (path,) = _graph_files(made)
    if damage == "foreign":
        made.write({"c.txt": "def renamed()\n"})
        made.sync()
        foreign = bytes(kept(made).graph.data)
        made.write({"c.txt": _FILES["c.txt"]})
        made.sync()
        data = foreign
    else:
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 1
        data = {"truncate": good[:-7], "flip": bytes(flipped), "empty": b"", "not a graph": b"x" * 500}[damage]
    path.write_bytes(data)
    again = kept(made)
    assert again.made
    assert same_bytes(again.graph, good)
    assert path.read_bytes() == good


def test_other_resolvers_make_other_graphs(tmp_path: Path) -> None:
    """A graph by another set of resolvers is neither used nor built upon."""
    made = synced(tmp_path / "tree", _FILES)
    kept(made)
    none = kept(made, resolvers=Resolvers(()))
    assert (none.made, none.graph.paths) == (True, ())


def test_a_repository_without_a_resolvable_file_has_an_empty_graph(tmp_path: Path) -> None:
    """Nothing to resolve is not an error."""
    made = synced(tmp_path / "tree", {"notes.md": "# Notes\n"})
    assert kept(made).graph.paths == ()
    made.remove("notes.md")
    made.sync()
    assert kept(made).graph.files == ()


def test_a_resolver_that_fails_costs_only_its_file(tmp_path: Path) -> None:
    """The file is marked, its neighbours are answered, and it is tried again when anything it may have read changes."""
    made = synced(tmp_path / "tree", {**_FILES, "e.txt": "crash\n"})
    graph = kept(made).graph
    assert {entry.path: entry.failed for entry in graph.files if entry.failed} == {"e.txt": "RecursionError"}
    assert sites(made)["a.txt"][0] == ("g", "resolved", "b.txt::g")
    made.write({"b.txt": "import c\ndef g()\ncall lib.other\n"})
    made.sync()
    assert kept(made).resolved == 1
    made.write({"b.txt": "import c\ndef g2()\n"})
    made.sync()
    assert kept(made).resolved == 3  # b, a which looked for g, and e
    assert same_bytes(kept(made).graph, rebuilt(made).data)
    made.write({"e.txt": "def fine()\n"})
    made.sync()
    assert same_bytes(kept(made).graph, rebuilt(made).data)


def test_workers_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph made by two or more processes is the one made by one."""
    monkeypatch.setattr(crew, "_WORTH_A_WORKER", 2)
    many = {f"m{n}.txt": f"import m{n + 1}\ndef f{n}()\ncall f{n + 1}\ncall g\n" for n in range(150)}
    made = synced(tmp_path / "tree", {**many, "e.txt": "crash\n"})
    alone = rebuilt(made, workers=1).data
    assert rebuilt(made, workers=2).data == alone
    assert rebuilt(made, workers=5).data == alone


def test_what_one_edit_leaves_to_many_files_is_shared_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are hired by what is to be resolved, not by how many files were edited."""
    monkeypatch.setattr(crew, "_WORTH_A_WORKER", 2)
    made = synced(tmp_path / "tree", {"g.txt": "def g()\n", **{f"m{n}.txt": "import g\ncall g\n" for n in range(20)}})
    base = kept(made).graph
    made.write({"g.txt": "def g2()\n", "other.txt": ""})
    made.sync()
    hired: list[int] = []
    real = crew.Many.__init__

    def counted(many: crew.Many, view: SnapshotView, resolvers: Resolvers, workers: int) -> None:
        hired.append(workers)
        real(many, view, resolvers, workers)

    monkeypatch.setattr(crew.Many, "__init__", counted)
    with open_view(made.store) as view:
        built = build(view, TOY, base, workers=2, progress=silent)
    assert (built.changed, built.resolved, hired) == (2, 22, [2])
    assert built.data == rebuilt(made).data


def test_workers_leave_nothing_beside_the_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What each of them wrote is in `facts.db` when they are gone, not in a log of megabytes that stays beside it."""
    monkeypatch.setattr(crew, "_WORTH_A_WORKER", 2)
    made = synced(tmp_path / "tree", {f"m{number}.py": f"def f{number}(): pass\n" for number in range(300)})
    rebuilt(made, Resolvers(), workers=2)
    assert os.listdir(made.store.graphs) == ["facts.db"]
    with closing(sqlite3.connect(made.store.graphs / "facts.db")) as facts:
        assert facts.execute("SELECT count(*) FROM facts").fetchone() == (300,)


def test_few_graphs_are_kept_and_collection_removes_those_of_gone_snapshots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most two at a time; after gc only those of retained snapshots."""
    made = synced(tmp_path / "tree", _FILES)
    for number in range(8):
        made.write({"c.txt": f"def h()\ncall lib.n{number}\n"})
        made.sync()
        kept(made)
    assert len(_graph_files(made)) == 2
    old = _graph_files(made)[0].with_name(f"{'0' * 64}-{TOY.version}.graph")
    old.write_bytes(b"of a snapshot that is gone")
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 1)
    assert gc_now(made.store).graphs == (old.name,)
    done = gc_now(made.store, dry_run=False)
    assert (done.graphs, old.exists(), len(_graph_files(made))) == ((old.name,), False, 2)


def test_a_graph_that_cannot_be_kept_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk costs the next question time, not this one its answer; a warning says so."""

    def full(path: Path, *_: object) -> None:
        raise StorageFailure(f"{path}: No space left on device")

    made = synced(tmp_path / "tree", _FILES)
    monkeypatch.setattr(keep, "replace_atomically", full)
    found = kept(made)
    assert "could not be kept" in found.warnings[0]
    assert sites(made)["a.txt"][0] == ("g", "resolved", "b.txt::g")
    monkeypatch.setattr(keep, "replace_atomically", replace_atomically)
    assert kept(made).made


_BUILDER = """
from support.graphs import kept
from support.stores import workspace
from everdex.graph.making import build, crew
from pathlib import Path

real = crew.record

def slow(*arguments):
    print("resolving", flush=True)
    input()
    return real(*arguments)

crew.record = slow
found = kept(workspace(Path(ARGS[0])))
print("made" if found.made else "found", flush=True)
"""


def test_a_killed_build_leaves_nothing_that_is_believed(tmp_path: Path) -> None:
    """SIGKILL in the middle: the lock is free, and the next question makes the graph whole."""
    made = synced(tmp_path / "tree", _FILES)
    with Child(_BUILDER, made.path) as child:
        assert child.line() == "resolving"
        child.signal(signal.SIGKILL)
        child.process.wait()
    # What a kill between writing and renaming leaves behind.
    leftover = made.store.graphs / f"x.graph.{child.process.pid}.00000000.tmp"
    leftover.write_bytes(b"half")
    found = kept(made)
    assert found.made
    assert same_bytes(found.graph, rebuilt(made).data)
    kept_names = [*(path.name for path in _graph_files(made)), "facts.db", "refresh_summary.json"]
    assert sorted(os.listdir(made.store.graphs)) == kept_names


def test_two_builders_make_it_once(tmp_path: Path) -> None:
    """The second waits for the first and takes its work."""
    made = synced(tmp_path / "tree", {"a.txt": "def f()\n"})
    with Child(_BUILDER, made.path) as first:
        assert first.line() == "resolving"
        with Child(_BUILDER, made.path) as second:
            first.go()
            assert first.line() == "made"
            assert second.line() == "found"


@pytest.mark.parametrize("harm", ["flipped", "cut", "foreign", "a directory"])
def test_damaged_facts_cost_time_and_bend_nothing(tmp_path: Path, harm: str) -> None:
    """Remembered facts that are not as they were written are taken from the source again."""
    files = {"a.py": "from b import g\n\n\ndef f():\n    g()\n", "b.py": "def g():\n    pass\n"}
    python = Resolvers(("everdex.graph.python",))
    made = synced(tmp_path / "tree", files)
    whole = bytes(kept(made, resolvers=python).graph.data)
    facts = made.store.graphs / "facts.db"
    data = facts.read_bytes()
    facts.unlink()
    if harm == "flipped":
        with sqlite3.connect(made.store.graphs / "other.db") as connection:
            facts.write_bytes(data)
            connection.execute("ATTACH ? AS facts", (str(facts),))
            connection.execute("UPDATE facts.facts SET value = zeroblob(length(value))")
    elif harm == "cut":
        facts.write_bytes(data[: len(data) // 2])
    elif harm == "foreign":
        facts.write_bytes(b"not a database at all" * 100)
    else:
        facts.mkdir()
    for path in _graph_files(made):
        path.unlink()
    assert bytes(kept(made, resolvers=python).graph.data) == whole
