"""The life of `everdex mcp`: first index, edits under it, garbage, other processes, its parent's death, HTTP."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")

from mcp.shared.exceptions import MCPError

from support.agents import Agent
from support.commands import COMMAND, everdex
from support.processes import PATIENCE_S, Child
from support.trees import tree

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}  # fmt: skip
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def test_a_server_follows_its_repository(tmp_path: Path) -> None:
    """A root never seen is indexed with progress; edits, deletions and a new configuration are in the next answer."""
    files = {f"f{number}.py": f"def function_{number}():\n    return {number}\n" for number in range(40)}
    root = tree(tmp_path / "project", files)
    with Agent(root) as agent:
        missing = agent.fail("status")
        assert (missing["code"], missing["hint"]) == ("not_indexed", "call `search` once: it builds the index")
        with pytest.raises(MCPError, match="has no index yet"):
            agent.run(agent.client.read_resource, "everdex://status")

        reports = agent.watch("search", query="function_7")
        counted = [report for report in reports if report[1] is not None]  # a slow machine says first that it waits
        assert counted[0][1] == counted[-1][0] == counted[-1][1] >= 40
        assert [done for done, _ in reports] == sorted(done for done, _ in reports)
        first = agent.ask("search", query="function_7")
        assert first["results"][0]["path"] == "f7.py"
        assert agent.ask("search", query="function_8")["snapshot_id"] == first["snapshot_id"]

        (root / "f7.py").write_text("def changed_entirely():\n    return 'flamingo'\n")
        (root / "f8.py").unlink()
        second = agent.ask("search", query="flamingo")
        assert second["results"][0]["path"] == "f7.py"
        assert second["snapshot_id"] != first["snapshot_id"]
        assert second["freshness"] == {"state": "fresh", "dirty_count": 0}
        assert agent.ask("symbol", name="function_8")["definitions"] == []

        (root / ".everdex.toml").write_text('[index]\nexclude = ["f9.py"]\n')
        assert agent.ask("symbol", name="function_9")["definitions"] == []
        (root / ".everdex.toml").write_text("[index]\nnonsense = 1\n")
        assert agent.fail("search", query="x")["code"] == "config_invalid"
        (root / ".everdex.toml").unlink()
        assert agent.ask("symbol", name="function_9")["definitions"][0]["path"] == "f9.py"


def test_an_idle_server_keeps_nobody_waiting(tmp_path: Path) -> None:
    """While it is connected and warm, others index and collect; it answers from what they published."""
    root = tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"})
    with Agent(root) as agent:
        agent.ask("search", query="alpha")
        for number in range(2):
            (root / "a.py").write_text(f"def alpha_{number}():\n    return 1\n")
            assert everdex("index", "--wait", root).code == 0
        agent.ask("map")  # its graph is made, and it has nothing to do any more
        assert everdex("compact", "--force", root).code == 0
        collected = everdex("gc", "--apply", "--json", root)
        assert (collected.code, collected.json["dry_run"]) == (0, False)
        assert agent.ask("symbol", name="alpha_1")["definitions"][0]["path"] == "a.py"


def test_garbage_does_not_end_a_server(tmp_path: Path) -> None:
    """Not JSON, half a message, a lone surrogate in a query: each refused or answered, and the next one served."""
    root = tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"})
    process = subprocess.Popen(
        [*COMMAND, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    lines = [
        json.dumps(INITIALIZE), json.dumps(INITIALIZED), "this is not JSON", '{"jsonrpc":"2.0","id":2,', "[]", "\x00",
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"a\\ud800"}}}',
        json.dumps(_call(4, "symbol", {"name": "alpha"})),
    ]  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join([*lines, ""]).encode())
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    while 4 not in answers:
        message = json.loads(_line(process.stdout.fileno()))
        answers[message.get("id")] = message
    assert answers[4]["result"]["structuredContent"]["definitions"][0]["path"] == "a.py"
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert b"Traceback" not in errors
    assert process.returncode == 0


def _call(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    parameters = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}


def _line(handle: int) -> bytes:
    seen = bytearray()
    while not seen.endswith(b"\n"):
        ready, _, _ = select.select([handle], [], [], PATIENCE_S)
        assert ready, "the server fell silent"
        piece = os.read(handle, 1)
        assert piece, "the server ended"
        seen += piece
    return bytes(seen)


PARENT = """
import subprocess, sys
server = subprocess.Popen([sys.executable, "-m", "everdex", "mcp", ARGS[0]], stdin=subprocess.PIPE,
                          stdout=int(ARGS[1]), stderr=subprocess.DEVNULL, pass_fds=[])
server.stdin.write(ARGS[2].encode() + b"\\n")
server.stdin.flush()
print(server.pid, flush=True)
input()
"""


def test_a_server_ends_with_its_parent(tmp_path: Path) -> None:
    """The agent is killed without a word: the server's input ends, and so does the server."""
    root = tree(tmp_path / "project", {"a.py": "x = 1\n"})
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with Child(PARENT, root, theirs, json.dumps(INITIALIZE), pass_fds=(theirs,)) as parent:
        os.close(theirs)
        pid = int(parent.line())
        assert json.loads(_line(ours))["result"]["serverInfo"]["name"] == "everdex"
        os.kill(pid, 0)
        parent.signal(signal.SIGKILL)
        ready, _, _ = select.select([ours], [], [], PATIENCE_S)
        # Only a dead server closes its end of the pipe.
        assert ready
        assert os.read(ours, 1) == b""
    os.close(ours)


def test_http_serves_this_machine_and_no_web_page(tmp_path: Path) -> None:
    """The same answers on loopback; a request that names another host or origin is refused."""
    root = tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"})
    process = subprocess.Popen([*COMMAND, "mcp", root, "--http", "0"], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        url = _line(process.stderr.fileno()).decode().split(" on ")[1].strip()
        address = url.removeprefix("http://").partition("/")[0]
        with Agent(url=url) as agent:
            assert agent.ask("symbol", name="alpha")["definitions"][0]["path"] == "a.py"
        for header in ({"Host": "evil.example"}, {"Host": address, "Origin": "https://evil.example"}):
            assert _post(address, header) in (403, 421)
        taken = everdex("mcp", root, "--http", address.partition(":")[2])
        assert taken.code == 2
        assert "cannot be used" in taken.err
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (0, 12)


def _post(address: str, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    accept = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", json.dumps(INITIALIZE), {**accept, **headers})
    status = connection.getresponse().status
    connection.close()
    return status


def test_home_and_the_whole_disk_are_refused(tmp_path: Path) -> None:
    """As by every other command, before anything is served."""
    for path in ("/", tmp_path):
        done = everdex("mcp", path, "--json", env={"HOME": str(tmp_path)})
        assert (done.code, done.json["error"]["code"]) == (2, "root_refused")


def test_json_shows_the_tools_without_serving(tmp_path: Path) -> None:
    """`everdex mcp --json` is what a client would see."""
    root = tree(tmp_path / "project", {"a.py": "x = 1\n"})
    document = everdex("mcp", root, "--json").json
    assert [tool["name"] for tool in document["tools"]][:3] == ["search", "grep", "symbol"]
    assert all("outputSchema" in tool for tool in document["tools"])


def test_without_the_extra_the_error_says_how_to_get_it(tmp_path: Path) -> None:
    """No traceback: a usage error with the pip command."""
    root = tree(tmp_path / "project", {"a.py": "x = 1\n"})
    without = (
        "import sys\nsys.modules['mcp'] = None\nfrom everdex.surfaces.cli.app import run\n"
        "sys.exit(run(['mcp', sys.argv[1]]))\n"
    )
    done = subprocess.run([sys.executable, "-c", without, root], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "hint: pip install 'everdex[mcp]'"
