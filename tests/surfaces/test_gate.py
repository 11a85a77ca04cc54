"""The mutation gate at every door: what is allowed, warned of and blocked, and that a hook only stops what it may."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex.service.index import Index
from everdex.service.relations import Question
from support.asked import asked
from support.commands import Done, everdex
from support.daemons import Daemon
from support.trees import tree

CORE = "def helper(a):\n    return a\n"
FILES = {
    "core.py": CORE,
    "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n",
    "vendor/lib.py": "x = 1\n",
    "gen/api_pb2.py": "y = 2\n",
    "merge.py": "<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n",
    "quoted.md": "A merge that stopped begins with\n<<<<<<< ours\n\nTitle\n=======\n",
    "shown.md": "A merge that stopped begins and ends with\n<<<<<<< ours\n>>>>>>> theirs\n",
    ".gitignore": "out/\n",
    "out/made.py": "z = 3\n",
}


def _codes(done: Done) -> list[str]:
    """What speaks against a change."""
    every = (reason for file in done.json["files"] for reason in file["reasons"])
    return [reason["code"] for reason in every if reason["decision"] != "allow"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An indexed repository with its graph."""
    made = tree(tmp_path / "project", FILES, git=True)
    assert asked(Index.open(made), "relations", Question("callers", "helper"))["total"] == 1
    return made


def test_a_clean_file_may_be_changed(root: Path) -> None:
    """Exit code 0, one line a file, and the state it is in; some of the marks of a conflict are none."""
    done = everdex("gate", "app.py", "quoted.md", "shown.md", cwd=root)
    documents = [f"allow: {name} (clean, unknown)" for name in ("quoted.md", "shown.md")]
    assert (done.code, done.lines) == (0, ["allow: app.py (clean, certain)", *documents])


def test_a_changed_dependency_blocks_with_a_witness(root: Path) -> None:
    """Exit code 4: which file, which symbol, how it reads now, and what to do; indexing lifts it."""
    (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
    done = everdex("gate", "--no-sync", "--json", "app.py", "core.py", cwd=root)
    assert (done.code, done.json["decision"], done.json["blocking"]) == (4, "block", ["app.py", "core.py"])
    assert _codes(done) == ["dependency_interface_changed", "content_changed"]
    witness = done.json["files"][0]["reasons"][0]["reason"]
    assert (witness["path"], witness["symbols"]) == (
        "core.py", [{"name": "helper", "before": "def helper(a)", "after": "def helper(a,b)", "used": True}],
    )  # fmt: skip
    assert done.json["actions"][0].startswith("re-read core.py")
    assert done.json["freshness"]["dirty_count"] == 1
    assert everdex("gate", "--semantic", "app.py", "core.py", cwd=root).code == 0


def test_a_file_that_changed_since_it_was_seen_is_blocked(root: Path) -> None:
    """The caller says what it saw; another content, or none, means reading again."""
    seen = hashlib.sha256(CORE.encode()).hexdigest()
    assert everdex("gate", "core.py", "--seen", seen, cwd=root).code == 0
    (root / "core.py").write_text(CORE + "\n")
    done = everdex("gate", "core.py", "--seen", seen, "--json", cwd=root)
    assert (done.code, _codes(done), done.json["actions"]) == (4, ["changed_since_seen"], ["re-read core.py"])
    (root / "core.py").unlink()
    assert "changed_since_seen" in _codes(everdex("gate", "core.py", "--seen", seen, "--json", cwd=root))


def test_since_a_snapshot_both_file_and_dependencies_count(root: Path) -> None:
    """Who knows the repository from an older snapshot learns what changed since, although the index is current."""
    known = everdex("status", "--json", root).json["snapshot_id"]
    (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
    done = everdex("gate", "app.py", "--since", known, "--json", cwd=root)
    assert (done.code, _codes(done), done.json["actions"]) == (4, ["dependency_interface_changed"], ["re-read core.py"])
    own = everdex("gate", "core.py", "--since", known, "--json", cwd=root)
    assert (own.code, _codes(own), own.json["actions"]) == (4, ["content_changed"], ["re-read core.py"])
    assert everdex("gate", "app.py", "--since", "01AAAAAAAAAAAAAAAAAAAAAAAA", cwd=root).code == 2


def test_since_a_snapshot_the_answer_names_the_one_that_answers(root: Path) -> None:
    """Who takes the answer's snapshot for what it knows now is told of a change once, not for ever."""
    known = everdex("status", "--json", root).json
    (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
    current = everdex("callers", "helper", "--json", cwd=root).json
    assert current["snapshot_id"] != known["snapshot_id"]
    for command in (("gate", "core.py"), ("state",)):
        told = everdex(*command, "--since", known["snapshot_id"], "--json", cwd=root).json
        assert (told["snapshot_id"], told["digest"], told["graph"]) == (
            current["snapshot_id"], current["digest"], "current",
        )  # fmt: skip
        assert told["files"]
    assert everdex("gate", "core.py", "--since", told["snapshot_id"], cwd=root).code == 0


def test_a_decision_taken_since_a_snapshot_is_about_what_is_there_now(root: Path) -> None:
    """A change that no interface shows leaves the file clean; the decision is found again by who asks without it."""
    kinds = "class A:\n    def go(self): return 1\nclass B:\n    def go(self): return 1\n"
    (root / "kinds.py").write_text(kinds)
    (root / "open.py").write_text("import kinds\n\n\ndef f(x):\n    x.go()\n")
    words = ("gate", "--semantic", "open.py")
    known = everdex(*words, "--json", cwd=root).json["snapshot_id"]
    (root / "kinds.py").write_text(kinds.replace("1", "2"))
    assert everdex(*words, "--since", known, cwd=root).code == 3
    assert everdex(*words, "--since", known, "--decide", "both may go", cwd=root).code == 0
    assert everdex(*words, cwd=root).code == 0
    told = everdex("state", "--since", known, "--json", cwd=root).json
    assert [item["holds"] for item in told["decisions"]] == [True]


def test_since_a_snapshot_what_is_not_used_only_warns(root: Path) -> None:
    """The interface of a file it depends on changed, in a part it does not use: worth a look, no more."""
    (root / "core.py").write_text(f"{CORE}\n\ndef spare(a):\n    return a\n")
    known = everdex("callers", "helper", "--json", cwd=root).json["snapshot_id"]
    (root / "core.py").write_text(f"{CORE}\n\ndef spare(a, b):\n    return a\n")
    done = everdex("gate", "app.py", "--since", known, "--json", cwd=root)
    assert (done.code, _codes(done)) == (3, ["dependency_interface_changed"])
    computed = everdex("gate", "app.py", "--semantic", "--since", known, "--json", cwd=root)
    assert (computed.code, _codes(computed), computed.json["actions"]) == (
        4, ["dependency_interface_changed"], ["re-read core.py"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "core", "code"),
    [
        ("top.py", CORE.replace("(a)", "(a, b)"), "dependency_stale"),
        ("app.py", "def helper(a:\n    return (\n", "dependency_unchecked"),
    ],
)
def test_since_a_snapshot_a_computed_change_needs_all_it_rests_on(root: Path, path: str, core: str, code: str) -> None:
    """Worth a look before an edit; references known from before that change are no base for a computed change."""
    (root / "top.py").write_text("import app\n\n\ndef main():\n    return app.run()\n")
    known = everdex("callers", "helper", "--json", cwd=root).json["snapshot_id"]
    (root / "core.py").write_text(core)
    for intent, exit_code in (((), 3), (("--semantic",), 4)):
        done = everdex("gate", path, *intent, "--since", known, "--json", cwd=root)
        assert (done.code, _codes(done), done.json["actions"]) == (exit_code, [code], ["re-read core.py"])


def test_since_a_snapshot_a_dependency_that_is_gone_blocks(root: Path) -> None:
    """What was used is no longer there; the way out is to look at the file that used it."""
    (root / "top.py").write_text("import app\n\n\ndef main():\n    return app.run()\n")
    known = everdex("callers", "helper", "--json", cwd=root).json["snapshot_id"]
    (root / "core.py").unlink()
    done = everdex("gate", "app.py", "--since", known, "--json", cwd=root)
    assert (done.code, _codes(done), done.json["actions"]) == (4, ["dependency_gone"], ["re-read app.py"])
    for _ in range(2):  # the first makes the graph of today, in which nobody uses what is not there
        for intent in (("--semantic",), ()):
            done = everdex("gate", "app.py", *intent, "--since", known, "--json", cwd=root)
            assert (done.code, _codes(done)) == (4, ["dependency_gone"])
    assert _codes(everdex("gate", "top.py", "--since", known, "--json", cwd=root)) == ["dependency_stale"]
    assert everdex("gate", "quoted.md", "--since", known, cwd=root).code == 0


def test_without_the_older_graph_nobody_knows_who_used_what_is_gone(root: Path, home: Path) -> None:
    """A computed change is blocked then; what is still there of the older graph's files blocks nobody."""
    known = everdex("status", "--json", root).json["snapshot_id"]
    (root / "core.py").unlink()
    for graph in home.glob("data/*/graph/*.graph"):
        graph.unlink()
    done = everdex("gate", "app.py", "--semantic", "--since", known, "--json", cwd=root)
    assert (done.code, _codes(done)) == (4, ["dependencies_unknown"])


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("vendor/lib.py", "vendored"), ("gen/api_pb2.py", "generated"), ("merge.py", "conflict_markers"),
        ("out/made.py", "ineligible"), ("../elsewhere.py", "out_of_root"),
    ],
)  # fmt: skip
def test_what_is_better_left_alone_is_warned_of(root: Path, path: str, code: str) -> None:
    """Exit code 3; the change is not stopped."""
    done = everdex("gate", path, "--json", cwd=root)
    assert (done.code, _codes(done), done.json["blocking"]) == (3, [code], [])


def test_a_new_file_is_allowed(root: Path) -> None:
    """Nothing speaks against a file that is not there yet; a misspelt one is told from it."""
    assert everdex("gate", "new.py", cwd=root).lines == [
        "allow: new.py (unindexed, unknown)", "  no_such_file: new.py does not exist",
    ]  # fmt: skip
    misspelt = everdex("gate", "corre.py", cwd=root)
    assert (misspelt.code, misspelt.lines[1]) == (
        0, "  no_such_file: corre.py does not exist; did you mean core.py?"
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "// Code generated by stringer; DO NOT EDIT.\n\npackage a\n",
        "// Copyright\n\n/*\n * @generated by a build\n */\npackage a\n",
        "// This file is auto-generated by a tool\npackage a\n",
    ],
)
def test_a_file_that_says_it_is_generated_is_warned_of(root: Path, text: str) -> None:
    """Whatever it is called: the comment at its top counts, what the program writes does not."""
    (root / "mocks.go").write_text(text)
    done = everdex("gate", "mocks.go", "--json", cwd=root)
    assert (done.code, _codes(done)) == (3, ["generated"])
    (root / "writer.go").write_text("package a\n\n// Code generated by hand; DO NOT EDIT.\nvar x = 1\n")
    assert everdex("gate", "writer.go", cwd=root).code == 0


def test_a_semantic_change_needs_certainty(root: Path) -> None:
    """An edit of a file with open references is fine; a change computed from them needs a look, and is told where."""
    (root / "open.py").write_text(
        "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\ndef f(x):\n    x.go()\n"
    )
    assert everdex("gate", "open.py", cwd=root).code == 0
    done = everdex("gate", "--semantic", "open.py", "--json", cwd=root)
    assert (done.code, _codes(done)) == (3, ["needs_decision"])
    assert everdex("gate", "--semantic", "open.py", cwd=root).lines[2] == (
        "    open.py:6:7: x.go (untyped parameter): A.go or B.go"
    )


def test_bad_questions_are_refused(root: Path) -> None:
    """No path, a hash that is none, more hashes than files: usage errors."""
    assert everdex("gate", cwd=root).code == 2
    assert everdex("gate", "app.py", "--seen", "abc", cwd=root).code == 2
    assert everdex("gate", "app.py", "--seen", "0" * 64, "--seen", "1" * 64, cwd=root).code == 2


def test_a_snapshot_that_is_named_is_taken_for_the_tree(root: Path) -> None:
    """States and verdicts as of then: what the files held, what changed between two snapshots, nothing of the tree."""
    old = everdex("status", "--json", root).json["snapshot_id"]
    (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
    (root / "merge.py").write_text("a = 2\n")
    new = everdex("callers", "helper", "--json", cwd=root).json["snapshot_id"]
    (root / "app.py").write_text("broken = 1\n")
    assert everdex("gate", "merge.py", "--no-sync", cwd=root).code == 0
    then = everdex("gate", "merge.py", "app.py", "--snapshot", old, "--json", cwd=root)
    assert (then.code, _codes(then), then.json["freshness"]["state"]) == (3, ["conflict_markers"], "pinned")
    seen = hashlib.sha256(CORE.encode()).hexdigest()
    assert everdex("gate", "core.py", "--seen", seen, "--snapshot", old, cwd=root).code == 0
    assert everdex("gate", "core.py", "--seen", seen, "--snapshot", new, cwd=root).code == 4
    between = everdex("state", "--since", old, "--snapshot", new, "--json", cwd=root).json
    assert {file["path"]: file["freshness"] for file in between["files"]} == {
        "app.py": "stale", "core.py": "dirty", "merge.py": "dirty",
    }  # fmt: skip
    assert everdex("state", "--since", old, "--snapshot", old, "--json", cwd=root).json["files"] == []


def test_states_of_what_is_not_clean(root: Path) -> None:
    """Without paths every file that is behind, with its reason; the counts are of all."""
    (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
    done = everdex("state", "--no-sync", cwd=root)
    assert done.lines == [
        "app.py: stale, unknown", "  dependency_interface_changed core.py: helper",
        "core.py: dirty, unknown", "  content_changed",
    ]  # fmt: skip
    assert "1 dirty" in done.err
    assert everdex("state", "--no-sync", "vendor/lib.py", "--json", cwd=root).json["counts"] == {"clean": 1}


def test_a_file_skipped_for_its_content_says_so(root: Path) -> None:
    """It is known by its hash, so it is counted here, and not among what `status` calls indexed; and it says why."""
    (root / "old.py").write_bytes("def helper():\n    return 'für'\n".encode("latin-1"))
    whole, status = everdex("state", "--root", root, "--json").json, everdex("status", root, "--json").json
    assert whole["counts"]["clean"] == status["counts"]["files_indexed"] + status["skipped"]["encoding"]
    done = everdex("state", "old.py", "--root", root)
    assert done.lines == ["old.py: clean, unknown", "  not_indexed encoding"]


def test_links_and_other_directories_lead_to_the_same_file(root: Path, tmp_path: Path) -> None:
    """A file is named from where we are, also through a link to the repository."""
    (tmp_path / "link").symlink_to(root)
    done = everdex("gate", tmp_path / "link" / "vendor" / "lib.py", "--root", root, "--json")
    assert done.json["files"][0]["path"] == "vendor/lib.py"
    assert everdex("gate", "lib.py", "--json", cwd=root / "vendor").json["files"][0]["path"] == "vendor/lib.py"


# -- beside a daemon -----------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["off", "warn", "block"])
def guarded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Daemon]]:
    """A daemon whose repository says how strict the gate is."""
    base = tmp_path_factory.mktemp("gate")
    made = tree(base / "project", {**FILES, ".everdex.toml": f'[hooks]\ngate = "{request.param}"\n'}, git=True)
    with Daemon(made, base / "home") as running:
        assert running.run("callers", "helper").code == 0
        yield request.param, running


def _hooked(daemon: Daemon, path: str, tool: str = "Edit") -> dict[str, Any]:
    document = {
        "hook_event_name": "PreToolUse", "tool_name": tool, "cwd": str(daemon.root), "tool_input": {"file_path": path},
    }  # fmt: skip
    done = daemon.hook(document)
    assert (done.code, done.err) == (0, "")
    said: dict[str, Any] = json.loads(done.out)["hookSpecificOutput"] if done.out else {}
    return said


def test_the_daemon_answers_as_the_command_does(guarded: tuple[str, Daemon]) -> None:
    """Both say the same of every file but for what names the request."""
    _, daemon = guarded
    daemon.settled()
    known = daemon.run("status", "--json").json["snapshot_id"]
    for arguments in (
        ("gate", "app.py", "merge.py"), ("gate", "--semantic", "vendor/lib.py"), ("state", "app.py"),
        ("gate", "merge.py", "--snapshot", known), ("state", "app.py", "--snapshot", known),
    ):
        theirs, ours = daemon.run(*arguments, "--json"), daemon.run(*arguments, "--offline", "--json")
        assert theirs.code == ours.code
        assert theirs.json["files"] == ours.json["files"]


def test_a_decision_holds_whoever_asks(guarded: tuple[str, Daemon]) -> None:
    """Decided through the daemon, it is decided for a process that reads the store itself, which says by what."""
    _, daemon = guarded
    (daemon.root / "gen" / "open.py").write_text("def f(x):\n    x.go()\n")
    words = ("gate", "--semantic", "gen/open.py")
    assert "needs_decision" in daemon.run(*words).out
    assert "  decided: " in daemon.run(*words, "--decide", "x is a till").out
    assert "x is a till" in daemon.run(*words, "--offline").out
    assert "decided, semantic change of gen/open.py: x is a till" in daemon.run("state", "gen/open.py").lines


def test_a_hook_warns_or_stops_as_configured(guarded: tuple[str, Daemon]) -> None:
    """Off says nothing of the gate; warn adds to the context; block never stops what is only warned of."""
    mode, daemon = guarded
    said = _hooked(daemon, "vendor/lib.py", "MultiEdit")
    assert "permissionDecision" not in said
    assert ("everdex gate: vendor/lib.py is somebody else's code" in said["additionalContext"]) is (mode != "off")
    assert "gate" not in _hooked(daemon, "app.py").get("additionalContext", "")


def test_a_hook_stops_an_edit_that_the_gate_blocks(guarded: tuple[str, Daemon]) -> None:
    """A dependency changed its interface and the references are behind: with block the tool is denied, with why."""
    mode, daemon = guarded
    (lock,) = (Path(daemon.env["EVERDEX_HOME"]) / "data").glob("*/locks/graph.lock")
    with lock.open("rb") as held, daemon.wire() as wire:
        fcntl.flock(held, fcntl.LOCK_EX)  # nobody makes a graph meanwhile
        (daemon.root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
        assert wire.call("gate", paths=["app.py"])["result"]["graph"] == "behind"
        said = _hooked(daemon, "app.py", "Write")
    if mode == "block":
        assert said["permissionDecision"] == "deny"
        assert "core.py, whose interface changed (helper)" in said["permissionDecisionReason"]
    else:
        assert "permissionDecision" not in said
        assert ("whose interface changed (helper)" in said["additionalContext"]) is (mode == "warn")


def test_a_decision_about_several_files_is_about_all_of_them(guarded: tuple[str, Daemon]) -> None:
    """The fifth file counts as the first does, and how much room there is for words changes nothing but the words."""
    mode, daemon = guarded
    daemon.settled()
    paths = [str(daemon.root / name) for name in ("core.py", "app.py", "quoted.md", "vendor/lib.py", "merge.py")]
    with daemon.wire() as wire:
        whole, short, least = (
            wire.call("touched", moment="before", written=True, paths=paths, limit=limit)["result"]["gate"]
            for limit in (900, 130, 20)
        )
    assert {whole["decision"], short["decision"], least["decision"]} == {"allow" if mode == "off" else "warn"}
    if mode != "off":
        assert "vendor/lib.py is somebody else's code" in whole["text"]
        assert "merge.py has unmerged conflicts" in whole["text"]
        assert short["text"].endswith("\neverdex gate: and 1 more")
        assert least["text"] == whole["text"][:20]


def test_an_own_edit_a_moment_ago_stops_nobody(guarded: tuple[str, Daemon]) -> None:
    """The file is not indexed as it is yet: it is indexed now, and the next edit goes on."""
    _, daemon = guarded
    (daemon.root / "gen" / "fresh.py").write_text("a = 1\n")
    daemon.run("index")
    (daemon.root / "gen" / "fresh.py").write_text("a = 2\n")
    assert "permissionDecision" not in _hooked(daemon, "gen/fresh.py")


def test_bad_parameters_are_refused(guarded: tuple[str, Daemon]) -> None:
    """The socket takes what the command takes, typed and bounded."""
    _, daemon = guarded
    with daemon.wire() as wire:
        for params in (
            {}, {"paths": "app.py"}, {"paths": []}, {"paths": ["a"] * 1_001}, {"paths": ["a"], "seen": {"a": 3}},
            {"paths": ["a"], "intent": "other"}, {"paths": ["a"], "decide": "why"},
            {"paths": ["a"], "intent": "semantic", "decide": 3}, {"paths": ["a"], "seen": {"b": "0" * 64}},
            {"paths": ["a\0"]},
        ):
            assert wire.call("gate", **params)["error"]["code"] in ("usage", "query_invalid")
