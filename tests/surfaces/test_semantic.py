"""Importing a SCIP index from the outside: by command, from Python, and under a daemon that is already answering."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import everdex
from everdex.canvas.explorer.walk import BITS, CERTAIN, SEMANTIC
from everdex.graph.model import Role
from everdex.surfaces.mcp import related
from support.commands import everdex as run
from support.daemons import Daemon
from support.scips import definition, document, index, metadata, reference, symbol
from support.stores import Workspace, synced

_CORE = "class Engine:\n    def go(self):\n        pass\n\n\nclass Fast:\n    def go(self):\n        pass\n"
_APP = "def run(x):\n    x.go()\n"
_GO = symbol("core/", "Engine#", "go().")


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", {"core.py": _CORE, "app.py": _APP})


@pytest.fixture
def scip_file(tmp_path: Path) -> Path:
    path = tmp_path / "index.scip"
    said = (document("core.py", _CORE, [definition("go", _GO)]), document("app.py", _APP, [reference("go", _GO)]))
    path.write_bytes(index(*said, head=metadata("file:///home/ci/build")))
    return path


def test_an_index_of_another_machine_is_imported(made: Workspace, scip_file: Path) -> None:
    """One command; the next answer knows of it, and says by which layer."""
    done = run("refresh", "--root", made.path, "--scip", scip_file)
    assert (done.code, done.lines) == (0, ["imported 2 documents of indexer of the root: 2 places"])
    callers = run("callers", "Engine.go", made.path, "--json").json["callers"]
    assert [(each["qualified_name"], each["layer"]) for each in callers] == [("app.run", "semantic")]


def test_the_tree_is_looked_at_first(made: Workspace, scip_file: Path) -> None:
    """A file that was edited since is left out, named and counted; with nothing left the exit code is 1."""
    made.write({"app.py": "# new\n" + _APP})
    found = run("refresh", "--root", made.path, "--scip", scip_file, "--json")
    imported = found.json["imported"]
    assert (found.code, imported["documents"], imported["skipped"]) == (0, 1, {"misplaced": 1})
    assert imported["changed"] == ["app.py"]
    made.write({"core.py": "# new\n" + _CORE})
    assert run("refresh", "--root", made.path, "--scip", scip_file).code == 1


def test_an_agent_is_told_by_which_layer(made: Workspace, scip_file: Path) -> None:
    """In the places and the ways of an answer, and in the words beside it."""
    run("refresh", "--root", made.path, "--scip", scip_file)
    found = {name: run(name, "Engine.go", made.path, "--json").json for name in ("refs", "impact")}
    places = related.references(found["refs"], 10_000)
    assert [(each["path"], each["layer"]) for each in places["references"]] == [("app.py", "semantic")]
    affected = related.impact(found["impact"], 10_000)
    assert [(each["name"], each["layer"]) for each in affected["affected"]] == [("app.run", "semantic")]
    for reply in (places, affected):
        assert "(semantic)" in "\n".join(related.lines(reply))
    made.write({"app.py": _APP + "\n"})
    later = related.references(run("refs", "Engine.go", made.path, "--json").json, 10_000)
    assert [each["layer"] for each in later["references"]] == ["syntactic"]


def test_the_explorer_marks_what_only_an_indexer_says(made: Workspace, scip_file: Path, tmp_path: Path) -> None:
    """The same use is in doubt before, and the indexer's after."""

    def bits() -> set[int]:
        page = tmp_path / "page.html"
        run("explore", made.path, "-o", page)
        told = json.loads(page.read_text().partition(' id="data">')[2].partition("</script>")[0])
        user = next(place for place, row in enumerate(told["symbols"]) if row[1] == "run")
        return set(told["uses"][user][1::4])

    assert bits() == {BITS[Role.CALL]}
    run("refresh", "--root", made.path, "--scip", scip_file)
    assert bits() == {BITS[Role.CALL] | CERTAIN | SEMANTIC}


@pytest.mark.parametrize("below", [".config/app", "..web", "a%2fb"])
def test_directories_are_taken_as_they_are_called(made: Workspace, tmp_path: Path, below: str) -> None:
    """A leading dot belongs to the name, and what looks like an escape is one in the URI only."""
    made.write({f"{below}/core.py": _CORE})
    path = tmp_path / "below.scip"
    said = document("core.py", _CORE, [definition("go", _GO)])
    path.write_bytes(index(said, head=metadata((made.path / below).as_uri())))
    imported = run("refresh", "--root", made.path, "--scip", path, "--json").json["imported"]
    assert (imported["context"]["root"], imported["documents"]) == (below, 1)


@pytest.mark.parametrize("way", ["/..", "/web/../..", "/../tree/..", "%2f..%2f..", "/%00", "/\udcff"])
def test_a_project_outside_the_root_is_none_of_ours(made: Workspace, tmp_path: Path, way: str) -> None:
    """A root that leads up, or is no path at all, is taken as another machine's: it names nothing here."""
    path = tmp_path / "outside.scip"
    said = document("core.py", _CORE, [definition("go", _GO)])
    path.write_bytes(index(said, head=metadata(f"file://{made.path}{way}")))
    imported = run("refresh", "--root", made.path, "--scip", path, "--json").json["imported"]
    assert imported["context"]["root"] == ""


def test_an_index_of_a_directory_is_about_that_directory(made: Workspace, tmp_path: Path) -> None:
    """Where the indexer's root lies below ours, its paths do too."""
    made.write({"web/core.py": _CORE})
    path = tmp_path / "web.scip"
    said = document("core.py", _CORE, [definition("go", _GO)])
    path.write_bytes(index(said, head=metadata((made.path / "web").as_uri())))
    imported = run("refresh", "--root", made.path, "--scip", path, "--json").json["imported"]
    assert (imported["context"]["root"], imported["documents"]) == ("web", 1)
    assert run("refs", "web/core.py::Engine.go", made.path, "--json").json["symbol"]["symbol"]["symbolId"] == (
        f"scip:{_GO}"
    )


@pytest.mark.parametrize("data", [b"", b"not an index", index(document("../x"))[:-1]])
def test_what_is_no_index_is_refused(made: Workspace, tmp_path: Path, data: bytes) -> None:
    """A damaged or hostile file: one line, exit code 2, and nothing is imported."""
    path = tmp_path / "bad.scip"
    path.write_bytes(data)
    done = run("refresh", "--root", made.path, "--scip", path, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "scip_invalid")
    assert not made.store.semantic.exists()


def test_an_import_is_all_or_nothing_of_a_command(made: Workspace, scip_file: Path) -> None:
    """It takes no scope and is not queued."""
    for more in (["app.py"], ["--queue"], ["--package", "x"], ["--budget", "5"]):
        done = run("refresh", "--root", made.path, "--scip", scip_file, *more, "--json")
        assert (done.code, done.json["error"]["code"]) == (2, "usage")


def test_python_imports_too(made: Workspace, scip_file: Path) -> None:
    """`Index.import_scip` says what was kept, and occurrences have their layer."""
    with everdex.open(made.path, daemon=False) as opened:
        assert [place.layer for place in opened.refs("Engine.go").references] == ["syntactic"]
        report = opened.import_scip(scip_file)
        assert (report.documents, report.occurrences, report.context.tool) == (2, 2, "indexer")
        assert [place.layer for place in opened.refs("Engine.go").references] == ["semantic"]


def test_a_daemon_that_answers_already_learns_of_it(made: Workspace, scip_file: Path) -> None:
    """No snapshot is published by an import, and the next question is answered with it all the same."""
    with Daemon(made.path):
        before = run("callers", "Engine.go", made.path, "--json").json
        assert [each["layer"] for each in before["callers"]] == ["syntactic"]
        assert run("refresh", "--root", made.path, "--scip", scip_file).code == 0
        after = run("callers", "Engine.go", made.path, "--json").json
        assert after["snapshot_id"] == before["snapshot_id"]
        assert [each["layer"] for each in after["callers"]] == ["semantic"]
