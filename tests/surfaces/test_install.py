"""`everdex install` and `uninstall` on real files: what is written where, and that all of it can be taken back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from everdex.surfaces.cli.install import AGENT_NAMES
from everdex.surfaces.install.agents import AGENTS
from support.commands import Done, everdex, on_terminal
from support.trees import run_git, tree

AGENTS_WITHOUT_GIT = [name for name in AGENT_NAMES if name != "git-hooks"]
# What somebody may have there already, each in a style of their own.
EXISTING = {
    ".mcp.json": '{\r\n    "mcpServers": {\r\n        "other": {"command": "x"}\r\n    }\r\n}',
    ".claude/settings.json": '{\n\t"hooks": {\n\t\t"PostToolUse": [\n\t\t\t{"matcher": "Edit"}\n\t\t]\n\t}\n}\n',
    ".claude.json": '{"numStartups":7,"projects":{}}',
    "CLAUDE.md": "# Mine\nno final line end",
    ".claude/CLAUDE.md": "\ufeff# With a byte order mark\r\n",
    "AGENTS.md": "# Agents\n\n- be kind\n",
    "GEMINI.md": "",
    ".gemini/GEMINI.md": "\n",
    ".gemini/settings.json": '{\n  // theme\n  "theme": "dark", /* yes */\n}\n',
    ".codex/config.toml": 'model = "o"  # mine\n\n[mcp_servers.other]\ncommand = "x"',
    ".codex/AGENTS.md": "x\n",
    "opencode.json": '{"$schema": "https://example.invalid/config.json", "mcp": {}}\n',
    ".config/opencode/opencode.jsonc": '{\n  "mcp": {\n    "servers": {\n    }\n  }\n}\n',
    ".cursor/mcp.json": "{}\n",
    ".vscode/mcp.json": '{\n    "servers": {},\n    "inputs": []\n}\n',
    ".config/Code/User/mcp.json": '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}',
}


def content(root: Path) -> dict[str, bytes]:
    """Every file below a directory but git's own."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


def directories(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir() and ".git" not in path.parts}


class Machine:
    """A user's home and a project, both empty or with what is in EXISTING."""

    def __init__(self, base: Path, *, existing: bool) -> None:
        files = EXISTING if existing else {}
        self.home = tree(base / "user", files)
        self.project = tree(base / "project", files, git=True)

    def run(self, *arguments: object) -> Done:
        env = {"HOME": str(self.home), "XDG_CONFIG_HOME": "", "CODEX_HOME": "", "GIT_CONFIG_GLOBAL": os.devnull}
        return everdex(*arguments, cwd=self.project, env=env)

    def where(self, scope: str) -> Path:
        return self.home if scope == "--user" else self.project


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, existing=False)


def test_both_tables_name_the_same_agents() -> None:
    """The command line's list (which must not import the installers) is theirs."""
    assert list(AGENT_NAMES) == list(AGENTS)


@pytest.mark.parametrize("existing", [False, True], ids=["empty", "existing"])
@pytest.mark.parametrize("scope", ["--project", "--user"])
@pytest.mark.parametrize("agent", AGENTS_WITHOUT_GIT)
def test_in_and_out_again(tmp_path: Path, agent: str, scope: str, existing: bool) -> None:
    """Installed twice is installed once; uninstalled, every file and directory is as before, to the byte."""
    machine = Machine(tmp_path, existing=existing)
    where = machine.where(scope)
    before, folders = content(where), directories(where)
    planned = machine.run("install", agent, scope, "--dry-run", "--json").json
    assert content(where) == before
    first = machine.run("install", agent, scope, "--json").json
    assert [file["diff"] for file in first["files"]] == [file["diff"] for file in planned["files"]]
    after = content(where)
    assert after != before
    assert before.keys() <= after.keys()
    second = machine.run("install", agent, scope, "--json").json
    assert {file["action"] for file in second["files"]} == {"unchanged"}
    assert content(where) == after
    assert machine.run("uninstall", agent, scope).code == 0
    assert content(where) == before
    assert directories(where) == folders


# Every file as earlier versions left it (written by them), in an empty project and in one with the files of STARTED.
EARLIER = json.loads((Path(__file__).parents[1] / "fixtures" / "installed.json").read_text())
STARTED = {name: EXISTING[name] for name in (".claude/settings.json", ".codex/config.toml")}


@pytest.mark.parametrize("kind", ["created", "added"])
@pytest.mark.parametrize("version", EARLIER)
def test_an_upgrade_replaces_what_was_ours(machine: Machine, tmp_path: Path, version: str, kind: str) -> None:
    """Over an earlier version's installation the result is that of a fresh one, and uninstalling leaves the user's."""
    started = STARTED if kind == "added" else {}
    fresh = Machine(tmp_path / "fresh", existing=False)
    tree(fresh.project, started)
    tree(machine.project, EARLIER[version][kind])
    for agent in ("claude-code", "codex"):
        assert machine.run("install", agent).code == fresh.run("install", agent).code == 0
    assert content(machine.project) == content(fresh.project)
    tree(machine.project, EARLIER[version][kind])
    for agent in ("claude-code", "codex"):
        assert machine.run("uninstall", agent).code == 0
    assert content(machine.project) == {name: text.encode() for name, text in started.items()}


def test_a_hook_of_somebody_else_is_none_of_ours(machine: Machine) -> None:
    """An upgrade leaves what the user made of our entry, and what stands beside it, where and as it is."""
    earlier = EARLIER["1"]["added"][".claude/settings.json"]
    theirs = earlier.replace('"timeout": 5', '"timeout": 60', 1)
    tree(machine.project, {".claude/settings.json": theirs})
    machine.run("install", "claude-code")
    after = read(machine.project / ".claude/settings.json")["hooks"]["PostToolUse"]
    assert after[:2] == json.loads(theirs)["hooks"]["PostToolUse"]
    assert len(after) == 3


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_claude_code_is_set_up(machine: Machine) -> None:
    """Server, hooks, skill and instructions, where Claude Code looks for them."""
    machine.run("install", "claude-code")
    project = machine.project
    assert read(project / ".mcp.json") == {
        "mcpServers": {"everdex": {"type": "stdio", "command": "everdex", "args": ["mcp"]}}
    }
    hooks = read(project / ".claude/settings.json")["hooks"]
    assert set(hooks) == {"SessionStart", "PreToolUse", "PostToolUse"}
    for (entry,) in hooks.values():
        (hook,) = entry["hooks"]
        assert (hook["type"], hook["timeout"]) == ("command", 5)
        without = {"PATH": "/nowhere"}  # a colleague who has no everdex
        done = subprocess.run(
            ["/bin/sh", "-c", hook["command"]], input=b"{}", capture_output=True, env=without, check=True
        )
        assert (done.stdout, done.stderr) == (b"", b"")
    skill = (project / ".claude/skills/everdex/SKILL.md").read_text()
    assert skill.startswith("---\nname: everdex\ndescription: ")
    assert "everdex search" in (project / "CLAUDE.md").read_text()
    machine.run("install", "claude-code", "--user")
    assert "everdex" in read(machine.home / ".claude.json")["mcpServers"]
    assert (machine.home / ".claude/skills/everdex/SKILL.md").read_text() == skill


def test_the_others_are_set_up(machine: Machine) -> None:
    """Each in its own format."""
    for agent in AGENTS_WITHOUT_GIT[1:]:
        assert machine.run("install", agent).code == 0
    project = machine.project
    assert tomllib.loads((project / ".codex/config.toml").read_text())["mcp_servers"]["everdex"] == {
        "command": "everdex", "args": ["mcp"], "tool_timeout_sec": 600,
    }  # fmt: skip
    assert read(project / ".gemini/settings.json")["mcpServers"]["everdex"]["command"] == "everdex"
    assert read(project / "opencode.json")["mcp"]["everdex"]["command"] == ["everdex", "mcp"]
    assert read(project / ".cursor/mcp.json")["mcpServers"]["everdex"]["args"] == ["mcp", "${workspaceFolder}"]
    assert read(project / ".vscode/mcp.json")["servers"]["everdex"]["type"] == "stdio"
    assert (project / "GEMINI.md").read_text().count("everdex begin") == 1
    block = (project / "AGENTS.md").read_text()
    assert block.startswith("<!-- everdex begin: codex, opencode, cursor, vscode; created -->\n")
    for agent in ("codex", "opencode", "vscode"):
        machine.run("uninstall", agent)
        assert (project / "AGENTS.md").exists()
    machine.run("uninstall", "cursor")
    assert not (project / "AGENTS.md").exists()


def test_the_written_server_starts(machine: Machine) -> None:
    """The command in the configuration is one that everdex understands."""
    machine.run("install", "claude-code")
    server = read(machine.project / ".mcp.json")["mcpServers"]["everdex"]
    assert machine.run(*server["args"], "--json").json["tools"]


def test_every_command_that_is_taught_exists(machine: Machine) -> None:
    """What the skill and the instructions tell an agent to run is accepted by the real parser."""
    from support.examples import examples_of, parse

    machine.run("install", "claude-code")
    for name in ("CLAUDE.md", ".claude/skills/everdex/SKILL.md"):
        commands = examples_of((machine.project / name).read_text())
        assert len(commands) >= 5
        for command in commands:
            parse(command)
        taught = {command.split()[1] for command in commands}
        assert {"search", "symbols", "refs", "callers", "impact", "gate", "state", "rename", "map", "explain"} <= taught


def test_every_tool_that_is_taught_exists(machine: Machine) -> None:
    """The skill names the MCP server's tools as the server does."""
    machine.run("install", "claude-code")
    skill = (machine.project / ".claude/skills/everdex/SKILL.md").read_text()
    named = set(re.findall(r"`(\w+)`", skill.rpartition("The MCP server")[2])) - {"everdex"}
    tools = {tool["name"] for tool in machine.run("mcp", "--json").json["tools"]}
    assert named <= tools
    assert len(named) >= 10


@pytest.mark.parametrize(
    ("agent", "name", "broken"),
    [
        ("claude-code", ".mcp.json", '{"mcpServers": '),
        ("claude-code", ".mcp.json", ""),
        ("claude-code", ".claude/settings.json", '{"hooks": []}'),
        ("claude-code", "CLAUDE.md", "<!-- everdex end -->\n"),
        ("claude-code", "CLAUDE.md", b"\xff\xfe"),
        ("codex", ".codex/config.toml", "[mcp_servers"),
        ("codex", ".codex/config.toml", 'mcp_servers = "none"\n'),
        ("opencode", "opencode.json", '["mcp"]'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": "none"}'),
    ],
)
def test_what_cannot_be_understood_is_refused(machine: Machine, agent: str, name: str, broken: str | bytes) -> None:
    """By name and before anything is written, whichever file it is."""
    tree(machine.project, {name: broken})
    before = content(machine.project)
    done = machine.run("install", agent, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "install_refused")
    assert name in done.json["error"]["message"]
    assert content(machine.project) == before


def test_entries_of_others_stay(machine: Machine) -> None:
    """A server called everdex that somebody configured is neither replaced nor removed, and that is said."""
    mine = {"mcpServers": {"everdex": {"command": "/opt/my/everdex", "args": ["mcp"]}}}
    tree(machine.project, {".mcp.json": json.dumps(mine), ".claude/skills/everdex/SKILL.md": "mine\n"})
    toml = '[mcp_servers.everdex]\ncommand = "/opt/my/everdex"\n'
    tree(machine.project, {".codex/config.toml": toml})
    for agent in ("claude-code", "codex"):
        assert "written by somebody else" in machine.run("install", agent).err
        machine.run("uninstall", agent)
    assert read(machine.project / ".mcp.json") == mine
    assert (machine.project / ".claude/skills/everdex/SKILL.md").read_text() == "mine\n"
    assert (machine.project / ".codex/config.toml").read_text() == toml


def test_edits_in_between_survive(machine: Machine) -> None:
    """What was added since, beside ours, is there after an uninstall."""
    machine.run("install", "claude-code")
    settings = machine.project / ".claude/settings.json"
    document = read(settings)
    document["hooks"]["PostToolUse"].append({"matcher": "Edit", "hooks": [{"type": "command", "command": "mine"}]})
    document["model"] = "x"
    settings.write_text(json.dumps(document, indent=4))
    (machine.project / "CLAUDE.md").open("a").write("\nmore of mine\n")
    machine.run("uninstall", "claude-code")
    left = {
        "hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "mine"}]}]},
        "model": "x",
    }
    assert read(settings) == left
    assert (machine.project / "CLAUDE.md").read_text() == "\nmore of mine\n"


def test_links(machine: Machine, tmp_path: Path) -> None:
    """A link inside the project is followed and stays a link; one that leaves it is refused."""
    tree(machine.project, {"AGENTS.md": "# shared\n"})
    (machine.project / "CLAUDE.md").symlink_to("AGENTS.md")
    machine.run("install", "claude-code")
    assert (machine.project / "CLAUDE.md").is_symlink()
    assert "everdex begin" in (machine.project / "AGENTS.md").read_text()
    machine.run("uninstall", "claude-code")
    assert (machine.project / "AGENTS.md").read_text() == "# shared\n"
    outside = tree(tmp_path / "outside", {"mcp.json": "{}"})
    (machine.project / ".cursor").symlink_to(outside)
    done = machine.run("install", "cursor", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "install_refused")
    assert content(outside) == {"mcp.json": b"{}"}
    (machine.home / ".cursor").symlink_to(outside)  # dotfiles kept elsewhere are the user's own choice
    assert machine.run("install", "cursor", "--user").code == 0
    assert "everdex" in read(outside / "mcp.json")["mcpServers"]


def test_modes_and_leftovers(machine: Machine) -> None:
    """A private file stays private, and no temporary file is left."""
    tree(machine.home, {".claude.json": "{}"})
    (machine.home / ".claude.json").chmod(0o600)
    machine.run("install", "claude-code", "--user")
    assert (machine.home / ".claude.json").stat().st_mode & 0o777 == 0o600
    assert not [name for name in content(machine.home) if name.endswith(".tmp")]


def test_the_diff_comes_first(machine: Machine) -> None:
    """In a pipe it goes to stdout; on a terminal nothing is written without a yes."""
    shown = machine.run("install", "gemini", "--dry-run")
    assert "+++ " in shown.out
    assert '+    "everdex": {' in shown.out
    assert "nothing was written" in shown.err
    env = {"HOME": str(machine.home)}
    declined = on_terminal("install", "gemini", cwd=machine.project, env=env, keys=b"n\n")
    assert (declined.code, "write this?" in declined.out) == (12, True)
    assert content(machine.project) == {}
    accepted = on_terminal("install", "gemini", cwd=machine.project, env=env, keys=b"y\n")
    assert accepted.code == 0
    assert ".gemini/settings.json" in content(machine.project)
    assert on_terminal("uninstall", "gemini", "--yes", cwd=machine.project, env=env).code == 0
    assert content(machine.project) == {}


HOOK = "#!/bin/sh\necho mine >> log\nexit 0\n"


def test_git_hooks_in_and_out(machine: Machine) -> None:
    """New scripts are executable, existing ones keep every byte and their mode."""
    hooks = machine.project / ".git" / "hooks"
    for sample in hooks.iterdir():
        sample.unlink()
    tree(hooks, {"post-commit": HOOK})
    (hooks / "post-commit").chmod(0o700)
    machine.run("install", "git-hooks")
    names = {"post-checkout", "post-merge", "post-commit", "post-rewrite"}
    assert {path.name for path in hooks.iterdir()} == names
    assert all(os.access(path, os.X_OK) for path in hooks.iterdir())
    assert (hooks / "post-commit").read_text().endswith("echo mine >> log\nexit 0\n")
    assert (hooks / "post-commit").stat().st_mode & 0o777 == 0o700
    for path in hooks.iterdir():
        subprocess.run(["sh", "-n", path], check=True)
    assert machine.run("install", "git-hooks", "--json").json["files"][0]["action"] == "unchanged"
    machine.run("uninstall", "git-hooks")
    assert {path.name: path.read_text() for path in hooks.iterdir()} == {"post-commit": HOOK}


def test_a_commit_runs_the_hook(machine: Machine, tmp_path: Path) -> None:
    """git calls `everdex index --quiet`, in the background and in the repository, and the user's own part too."""
    tree(machine.project / ".git/hooks", {"post-commit": HOOK})
    (machine.project / ".git/hooks/post-commit").chmod(0o755)
    machine.run("install", "git-hooks")
    called = tmp_path / "called"
    os.mkfifo(called)
    tree(tmp_path / "bin", {"everdex": f'#!/bin/sh\necho "$PWD $*" > {called}\n'})
    (tmp_path / "bin/everdex").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull}
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(
        ["git", *identity, "commit", "-q", "--allow-empty", "-m", "x"], cwd=machine.project, env=environment, check=True
    )
    assert called.read_text() == f"{machine.project} index --quiet\n"
    assert (machine.project / "log").read_text() == "mine\n"


def test_git_hooks_respect_where_git_looks(machine: Machine, tmp_path: Path) -> None:
    """core.hooksPath inside the project is used; outside of it is refused; a worktree shares its repository's."""
    run_git(machine.project, "config", "core.hooksPath", ".husky")
    machine.run("install", "git-hooks")
    assert (machine.project / ".husky/post-merge").exists()
    machine.run("uninstall", "git-hooks")
    assert content(machine.project) == {}
    run_git(machine.project, "config", "core.hooksPath", str(tmp_path / "elsewhere"))
    done = machine.run("install", "git-hooks", "--json")
    assert (done.code, "core.hooksPath" in done.json["error"]["message"]) == (2, True)
    assert "--user" not in done.json["error"]["hint"]  # which has no hooks
    run_git(machine.project, "config", "--unset", "core.hooksPath")
    run_git(machine.project, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert machine.run("install", "git-hooks", tmp_path / "linked").code == 0
    assert (machine.project / ".git/hooks/post-merge").exists()


def test_git_hooks_that_cannot_be_extended(machine: Machine, tmp_path: Path) -> None:
    """A hook in another language, a directory without git, and no hooks for all repositories: refused."""
    tree(machine.project / ".git/hooks", {"post-merge": "#!/usr/bin/env python3\nprint(1)\n"})
    refused = machine.run("install", "git-hooks")
    assert (refused.code, "not a shell script" in refused.err) == (2, True)
    assert not (machine.project / ".git/hooks/post-commit").exists()
    assert machine.run("install", "git-hooks", tree(tmp_path / "bare", {})).code == 2
    assert machine.run("install", "git-hooks", "--user").code == 2
