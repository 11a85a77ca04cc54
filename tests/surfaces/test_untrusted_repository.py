"""A cloned repository is anybody's: nothing in it starts a program, reads outside of it or overwhelms a door."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everdex import config
from everdex.errors import ConfigError
from support.commands import everdex
from support.trees import run_git, tree

SECRET = "flamingo_outside_the_root"


@pytest.mark.parametrize(
    "text",
    [
        "[daemon]\nauto_start = true\n", "[hooks]\ncommand = 'touch x'\n", "[hooks]\ngate = 'touch x'\n",
        "[index]\nembedder = 'model2vec:/etc'\n", "[index]\nembedder = 'model2vec:../model'\n",
        "[index]\nembedder = 'model2vec:a/../../model'\n", "[index]\nembedder = 'python:os.system'\n",
        "[index]\nroot = '/'\n", "[index]\nhome = '/tmp'\n", "[query]\nk = 1000000\n", "x = 1\n",
        "[index]\nmax_file_size_bytes = 1e18\n", "[index]\nmax_bytes_per_sync = 99999999999999\n",
        '[index]\ninclude = ["a\\nb"]\n',
        "[query]\nprofile = '/etc/passwd'\n", "[query]\ndense_weight = nan\n",
    ],
)  # fmt: skip
def test_what_a_repositorys_configuration_may_not_say(text: str) -> None:
    """Nothing to run, no place outside, no limit above ours: it is refused by name, not ignored."""
    with pytest.raises(ConfigError, match=r"\.everdex\.toml"):
        config.parse(text.encode())


def test_a_configuration_that_leads_elsewhere_is_not_read(tmp_path: Path) -> None:
    """A link in its place could make an error message quote a file of the user's."""
    outside = tmp_path / "outside.toml"
    outside.write_text(f"{SECRET} = ")
    root = tree(tmp_path / "project", {"a.py": "x = 1\n"})
    (root / config.CONFIG_NAME).symlink_to(outside)
    with pytest.raises(ConfigError) as raised:
        config.load(root)
    assert SECRET not in raised.value.message


def test_no_program_of_a_repository_is_ever_run(tmp_path: Path, home: Path) -> None:
    """Modules that shadow ours, git's fsmonitor, hooks, filters, textconv and pagers: none of them, by no command."""
    ran = tmp_path / "ran"
    script = f"#!/bin/sh\necho $0 >> {ran}\ncat\n"
    module = f"open({str(ran)!r}, 'a').write(__name__)\n"
    hooks = ("run", "post-checkout", "post-index-change", "reference-transaction")
    shadows = ("json", "click", "numpy", "msgspec", "sitecustomize", "usercustomize", "mcp", "everdex", "_socket", "re")
    root = tree(
        tmp_path / "project",
        {
            "a.py": "def alpha():\n    return beta()\n\n\ndef beta():\n    return 1\n",
            **{f"{name}/__init__.py": module for name in shadows},
            **{f"hooks/{name}": script for name in hooks},
            ".gitattributes": "*.py filter=evil diff=evil\n",
            ".everdexignore": "hooks/\n",
        },
        git=True,
    )
    for path in (root / "hooks").iterdir():
        path.chmod(0o755)
    evil = str(root / "hooks" / "run")
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external", "diff.evil.textconv",
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "credential.helper", "core.askPass",
        "gpg.program", "alias.status", "core.gitProxy", "interactive.diffFilter",
    ):  # fmt: skip
        run_git(root, "config", key, evil)
    run_git(root, "config", "core.hooksPath", str(root / "hooks"))
    ran.unlink(missing_ok=True)  # git itself, above, is not what is tested

    def run(*arguments: str, given: bytes = b"") -> bytes:
        everdex = shutil.which("everdex", path=str(Path(sys.executable).parent))
        assert everdex is not None
        done = subprocess.run([everdex, *arguments], cwd=root, input=given, capture_output=True, check=False)
        assert done.returncode in (0, 1, 3, 4), done.stderr
        return done.stdout

    try:
        assert b"a.py" in run("search", "alpha", "--daemon")
        assert b"a.py" in run("callers", "beta")
        (root / "a.py").write_text("def alpha():\n    return 1\n")
        run("gate", "a.py")
        run("doctor")
        run("install", "git-hooks", "--dry-run")
        event = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "cwd": str(root),
                 "tool_input": {"file_path": str(root / "a.py")}}  # fmt: skip
        run("hook", given=json.dumps(event).encode())
        assert b"search" in run("mcp", "--json")
        run("state", "--offline")
    finally:
        run("stop")
    assert not ran.exists(), ran.read_text()


def test_no_number_of_attributes_keeps_an_answer_waiting(tmp_path: Path) -> None:
    """Attributes on one line could be told apart in as many ways as there are sets of them: they are read once."""
    root = tree(tmp_path / "project", {"a.rs": "#[a]" * 60 + "mod m {} fn alone() {}\n"})
    assert everdex("callers", "alone", root).code == 1


def test_tools_reach_nothing_outside_and_take_nothing_huge(tmp_path: Path) -> None:
    """Paths that lead out give no content; arguments without end give a code; the server goes on."""
    pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")
    from support.agents import Agent

    root = tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"}, git=True)
    secret = tmp_path / "secret.py"
    secret.write_text(f"def {SECRET}():\n    return 1\n")
    (root / "link.py").symlink_to(secret)
    (root / "folder").symlink_to(tmp_path)
    escapes = ["../secret.py", str(secret), "link.py", "folder/secret.py", "a.py/../../secret.py"]
    long = "x" * 200_000
    huge: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": long}), ("search", {"query": "a", "paths": ["*"] * 10_000}), ("grep", {"pattern": long}),
        ("symbol", {"name": long}), ("impact", {"symbol": long}), ("references", {"symbol": long}),
        ("gate", {"paths": ["a.py"] * 10_000}), ("gate", {"paths": [long]}),
        ("gate", {"paths": ["a.py"], "seen": {str(number): "0" for number in range(5_000)}}),
        ("rename_plan", {"symbol": "alpha", "new_name": long}), ("explain_path", {"path": long}),
        ("files", {"paths": [long]}), ("search", {"like": f"{long}:1"}),
    ]  # fmt: skip
    with Agent(root) as agent:
        assert agent.ask("search", query=SECRET)["freshness"]
        for path in escapes:
            for tool, arguments in (
                ("symbol", {"name": path}), ("search", {"like": f"{path}:1"}), ("gate", {"paths": [path]}),
                ("explain_path", {"path": path}), ("files", {"paths": [path]}), ("impact", {"symbol": f"{path}:1"}),
                ("references", {"symbol": f"{path}::{SECRET}"}), ("search", {"query": "return", "paths": [path]}),
            ):  # fmt: skip
                answer = agent.call(tool, **arguments).model_dump_json()
                assert SECRET not in answer.replace(f"{path}::{SECRET}", ""), (tool, path)
        for tool, arguments in huge:
            result = agent.call(tool, **arguments)
            shown = result.model_dump_json()
            assert len(shown) < 20_000, tool
            assert not result.is_error or "code" in (result.structured_content or {})["error"], shown
        assert agent.ask("symbol", name="alpha")["definitions"]
    subprocess.run([sys.executable, "-m", "everdex", "stop", root], check=False, env=os.environ, capture_output=True)
