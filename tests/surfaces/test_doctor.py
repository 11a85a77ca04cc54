"""`everdex doctor`: what is fine, what is not, and what to do about it."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everdex.service import doctor
from everdex.surfaces.daemon import wire
from support.commands import everdex
from support.daemons import Daemon
from support.trees import tree

CODES = [
    "python", "command", "git", "grammars", "home", "flock", "settings", "openat2", "inotify", "root", "model", "store",
    "daemon", "mcp", "agents",
]  # fmt: skip


def checks(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {check["code"]: check for check in document["checks"]}


@pytest.fixture
def user(tmp_path: Path) -> dict[str, str]:
    """A user without any configuration."""
    (tmp_path / "user").mkdir()
    return {"HOME": str(tmp_path / "user"), "XDG_CONFIG_HOME": "", "GIT_CONFIG_GLOBAL": os.devnull}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", {"a.py": "def a():\n    pass\n"}, git=True)


def test_every_check_is_made(project: Path, user: dict[str, str]) -> None:
    """In order, each with a status and a message; a repository that was never indexed is a warning with a hint."""
    done = everdex("doctor", "--json", cwd=project, env=user)
    assert [check["code"] for check in done.json["checks"]] == CODES
    found = checks(done.json)
    assert {found[code]["status"] for code in ("python", "git", "grammars", "home", "flock", "root", "model")} == {"ok"}
    assert (found["store"]["status"], found["store"]["hint"]) == ("warn", "run `everdex index`")
    assert (done.code, done.json["status"]) == (0, "warn")


def test_lines_for_people(project: Path, user: dict[str, str]) -> None:
    """One line a check with its hint below, and the worst of them last."""
    everdex("index", cwd=project)
    done = everdex("doctor", cwd=project, env=user)
    assert done.code == 0
    assert any(line.startswith("ok    store     ok: snapshot ") for line in done.lines)
    assert "hint: `everdex install claude-code` sets one up" in done.out
    assert done.lines[-1] in ("doctor: ok", "doctor: warn")


def test_a_tree_that_changed_since_is_nothing_to_mend(tmp_path: Path) -> None:
    """Every question brings the index up to date; that an edit has not been asked about yet is no damage."""
    root = tree(tmp_path / "repo", {"a.py": "x = 1\n"}, git=True)
    everdex("index", cwd=root)
    (root / "b.py").write_text("y = 2\n")
    store = checks(everdex("doctor", "--json", cwd=root).json)["store"]
    assert (store["status"], store["hint"]) == ("ok", "")
    assert store["message"].endswith("the tree has changed since, and the next question looks at it")


def test_nothing_is_changed(project: Path, home: Path, user: dict[str, str]) -> None:
    """Neither the home nor the project gets a file."""
    before = sorted(project.rglob("*"))
    everdex("doctor", cwd=project, env=user)
    assert sorted(project.rglob("*")) == before
    assert not home.exists()


def test_damage_fails(project: Path, home: Path, user: dict[str, str]) -> None:
    """A store that lost a segment, a configuration that is none, a home that cannot be written: exit code 1."""
    everdex("index", cwd=project)
    (segment,) = home.glob("data/*/segments/*")
    shutil.rmtree(segment)
    done = everdex("doctor", "--json", cwd=project, env=user)
    assert (done.code, done.json["status"], checks(done.json)["store"]["status"]) == (1, "fail", "fail")
    (project / ".everdex.toml").write_text("[index]\nembedder = 7\n")
    found = checks(everdex("doctor", "--json", cwd=project, env=user).json)
    assert (found["root"]["status"], found["root"]["hint"] != "") == ("fail", True)


def test_a_model_that_is_not_there_is_the_models_fault(project: Path, user: dict[str, str]) -> None:
    """The root is fine, the model failed with what to do about it, and nothing else repeats it."""
    (project / ".everdex.toml").write_text('[index]\nembedder = "model2vec:none"\n')
    found = checks(everdex("doctor", "--json", cwd=project, env={**user, "EVERDEX_EMBEDDER": ""}).json)
    assert (found["root"]["status"], found["model"]["status"], found["daemon"]["status"]) == ("ok", "fail", "ok")
    assert found["model"]["hint"].startswith("put the model there")
    assert "store" not in found


@pytest.mark.parametrize(
    ("place", "why"), [("/proc/everdex", ""), ("/dev/null", "not a directory"), ("/dev/null/below", "not a directory")]
)
def test_a_home_that_cannot_be_written(project: Path, user: dict[str, str], place: str, why: str) -> None:
    """Even root cannot make anything there: it fails, says what to set, and blames nothing on the store."""
    found = checks(everdex("doctor", "--json", cwd=project, env={**user, "EVERDEX_HOME": place}).json)
    failed = found["home"] if found["home"]["status"] == "fail" else found["flock"]
    assert (failed["status"], "EVERDEX_HOME" in failed["hint"], why in failed["message"]) == ("fail", True, True)
    assert "store" not in found


@pytest.mark.parametrize(("free", "status"), [(1 << 40, "ok"), (1 << 29, "warn"), (1 << 20, "fail")])
def test_room_on_the_disk(monkeypatch: pytest.MonkeyPatch, project: Path, free: int, status: str) -> None:
    """Little is a warning; too little for any index is a failure."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))
    (home,) = [finding for finding in doctor.examine(project) if finding.code == "home"]
    assert (home.status, bool(home.hint)) == (status, status != "ok")


def test_settings_that_nobody_understands(project: Path, home: Path, user: dict[str, str]) -> None:
    """A typing error in the home's config.toml breaks every daemon: the doctor names it."""
    home.mkdir()
    (home / "config.toml").write_text("[demon]\n")
    found = checks(everdex("doctor", "--json", cwd=project, env=user).json)
    assert (found["settings"]["status"], "demon" in found["settings"]["message"]) == ("fail", True)


def test_a_socket_that_is_none(project: Path, home: Path, user: dict[str, str]) -> None:
    """A stale socket is nothing to worry about; a file in its place is, with what to remove."""
    everdex("index", cwd=project)
    (store,) = home.glob("data/*")
    with socket.socket(socket.AF_UNIX) as stale:
        wire.at(str(store / "daemon.sock"), stale.bind)
    assert checks(everdex("doctor", "--json", cwd=project, env=user).json)["daemon"]["status"] == "ok"
    (store / "daemon.sock").unlink()
    (store / "daemon.sock").touch()
    found = checks(everdex("doctor", "--json", cwd=project, env=user).json)["daemon"]
    assert (found["status"], "daemon.sock" in found["message"], "remove it" in found["hint"]) == ("fail", True, True)


def test_no_repository_here(user: dict[str, str]) -> None:
    """From a home directory the machine is examined all the same."""
    done = everdex("doctor", "--json", cwd=Path(user["HOME"]), env=user)
    found = checks(done.json)
    assert (done.code, found["root"]["status"], "store" in found) == (0, "warn", False)


def test_what_is_installed(project: Path, user: dict[str, str]) -> None:
    """Whole installations are listed; half of one is a warning that names the command."""

    def agents() -> dict[str, str]:
        return checks(everdex("doctor", "--json", cwd=project, env=user).json)["agents"]

    everdex("install", "claude-code", cwd=project, env=user)
    everdex("install", "git-hooks", cwd=project, env=user)
    assert agents()["message"] == "claude-code (project), git-hooks (project)"
    (project / ".mcp.json").unlink()
    assert (agents()["status"], agents()["hint"]) == ("warn", "run `everdex install claude-code --project`")


def test_a_running_daemon(project: Path, user: dict[str, str], tmp_path: Path) -> None:
    """It is asked who it is."""
    with Daemon(project, tmp_path / "home") as daemon:
        done = everdex("doctor", "--json", cwd=project, env={**user, **daemon.env})
        assert f"process {daemon.process.pid}" in checks(done.json)["daemon"]["message"]
