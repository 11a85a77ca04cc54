"""`everdex mcp` says hello before it imports the SDK, in the SDK's own words, and then is the SDK's server."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from everdex.surfaces.mcp.greeting import PROTOCOLS
from support.commands import COMMAND
from support.processes import PATIENCE_S
from support.trees import tree

GENERATE = Path(__file__).parents[2] / "docs" / "generate_mcp.py"
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "a\nproject {root}", {"a.py": "def alpha():\n    return 1\n"})


def _initialize(version: str = PROTOCOLS[-1], number: Any = 1, **other: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}, **other}
    return {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}


def _ask(number: int, method: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method}


@contextmanager
def _server(root: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [*COMMAND, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _say(process: subprocess.Popen[bytes], *messages: object) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    process.stdin.flush()


def _hear(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    heard = bytearray()
    while not heard.endswith(b"\n"):
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], "the server fell silent"
        piece = os.read(process.stdout.fileno(), 1)
        assert piece, "the server ended"
        heard += piece
    message: dict[str, Any] = json.loads(heard)
    return message


def test_the_greeting_is_the_one_the_sdk_gives(root: Path) -> None:
    """For every version that opens with `initialize`, word for word what the same server answers over HTTP."""
    assert PROTOCOLS == HANDSHAKE_PROTOCOL_VERSIONS
    over_http = subprocess.Popen([*COMMAND, "mcp", root, "--http", "0"], stderr=subprocess.PIPE)
    try:
        assert over_http.stderr is not None
        address = over_http.stderr.readline().decode().rpartition(" on http://")[2].partition("/")[0]
        for version in PROTOCOLS:
            with _server(root) as process:
                _say(process, _initialize(version))
                heard = _hear(process)
                assert heard == _over_http(address, _initialize(version))
                # A name of a directory adds no line of its own to what a model is told.
                assert "/a\\x0aproject {root} and keeps" in heard["result"]["instructions"]
    finally:
        over_http.send_signal(signal.SIGINT)
        over_http.communicate(timeout=PATIENCE_S)


def _over_http(address: str, message: object) -> Any:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", json.dumps(message), headers)
    body = connection.getresponse().read().decode()
    connection.close()
    return json.loads(next(line for line in body.splitlines() if line.startswith("data: {"))[6:])


def test_the_lists_are_those_of_the_sdk() -> None:
    """What is listed while the SDK is imported is what it would list."""
    done = subprocess.run([sys.executable, GENERATE, "--check"], check=False)
    assert done.returncode == 0, "run `python docs/generate_mcp.py`"


def test_nobody_waits_for_the_sdk_to_be_listed(root: Path, tmp_path: Path) -> None:
    """With an SDK whose import never ends, hello and lists are answered; a client that then leaves ends the server."""
    tree(tmp_path / "modules", {"mcp/__init__.py": "import time\ntime.sleep(3600)\n"})
    before = os.environ.get("PYTHONPATH", "")
    with _server(root, PYTHONPATH=f"{tmp_path / 'modules'}{os.pathsep}{before}") as process:
        _say(process, _initialize())
        assert _hear(process)["result"]["serverInfo"]["name"] == "everdex"
        methods = ("ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list")
        _say(process, INITIALIZED, *(_ask(number, method) for number, method in enumerate(methods, 2)))
        heard = {message["id"]: message["result"] for message in (_hear(process) for _ in methods)}
        assert heard[2] == {}
        assert {"search", "symbol", "gate"} <= {tool["name"] for tool in heard[3]["tools"]}
        assert len(heard[4]["resources"]) == 4
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"")
        assert process.returncode == 0


def test_every_request_is_answered_once(root: Path) -> None:
    """Also when the client did not wait for the greeting, and when it greets with a name instead of a number."""
    with _server(root) as process:
        methods = ("ping", "tools/list", "resources/list", "only/the-sdk-says-no")
        wanted = [_ask(number, method) for number, method in enumerate(methods, 2)]
        _say(process, _initialize(number="first"), INITIALIZED, *wanted)
        heard = [_hear(process) for _ in range(5)]
        assert sorted(str(message["id"]) for message in heard) == ["2", "3", "4", "5", "first"]
        assert [message["id"] for message in heard if "error" in message] == [5]
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"")
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("greeting", "answered"),
    [
        (_initialize("2199-01-01"), True),
        (_initialize(clientInfo={"name": "t"}), False),
        (_initialize(capabilities=[]), False),
        (_ask(1, "ping"), True),
        (_ask(1, "tools/list"), False),
        (_initialize(capabilities={"experimental": {"padding": {"of": "x" * 100_000}}}), True),
    ],
)  # fmt: skip
def test_an_unusual_greeting_is_the_sdks(root: Path, greeting: object, answered: bool) -> None:
    """A version nobody knows, half a greeting, none, one that is huge: one answer, and the next one served."""
    with _server(root) as process:
        _say(process, greeting)
        first = _hear(process)
        assert ("result" in first) is answered
        _say(process, _initialize(number=2), INITIALIZED, _ask(3, "ping"))
        heard = [_hear(process), _hear(process)]
        assert sorted(message["id"] for message in heard) == [2, 3]


def test_what_else_the_process_prints_misses_the_wire(root: Path) -> None:
    """While it serves, its own standard input is empty and its output goes where its errors go."""
    with _server(root) as process:
        _say(process, _initialize(), INITIALIZED, _ask(2, "only/the-sdk-says-no"))
        assert [_hear(process)["id"] for _ in range(2)] == [1, 2]
        handles = Path(f"/proc/{process.pid}/fd")
        assert os.readlink(handles / "0") == os.devnull
        assert os.readlink(handles / "1") == os.readlink(handles / "2")


def test_a_client_that_says_nothing_gets_nothing(root: Path) -> None:
    """Its input ends before a word: the server ends, without an answer and without an error."""
    done = subprocess.run([*COMMAND, "mcp", root], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
