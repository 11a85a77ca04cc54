"""Whatever a client sends over stdio is answered, or need not be waited for: lines, batches, ends, closed pipes."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")

from everdex import limits
from support.commands import COMMAND
from support.processes import PATIENCE_S
from support.trees import tree

_HELLO = [
    {
        "jsonrpc": "2.0", "id": "hello", "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]  # fmt: skip


class _Client:
    """A server's process, and what it says."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self._output = self.process.stdin, self.process.stdout
        self._count = 0
        self._unread = b""

    def say(self, *lines: bytes | dict[str, Any]) -> None:
        for line in lines:
            self.input.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.input.flush()

    def replies(self, *lines: bytes | dict[str, Any], count: int = 1) -> list[dict[str, Any]]:
        """What is said to lines: so many replies, and none besides before the next question is answered."""
        self._count += 1
        end = f"end{self._count}"
        self.say(*lines, {"jsonrpc": "2.0", "id": end, "method": "nobody/knows"})
        found = [json.loads(self._line()) for _ in range(count + 1)]
        assert any(reply["id"] == end for reply in found), found
        return [reply for reply in found if reply["id"] != end]

    def _line(self) -> bytes:
        while b"\n" not in self._unread:
            assert select.select([self._output], [], [], PATIENCE_S)[0], "the server fell silent"
            piece = os.read(self._output.fileno(), 65_536)
            assert piece, "the server ended"
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def left(self) -> tuple[int, bytes]:
        """Its exit code and what it complained of, after its input has ended."""
        self.input.close()
        assert self.process.stderr is not None
        complaints = self.process.stderr.read()
        return self.process.wait(PATIENCE_S), complaints


@pytest.fixture
def client(tmp_path: Path) -> Iterator[_Client]:
    started = _Client(tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"}))
    started.replies(*_HELLO)
    yield started
    started.process.kill()
    started.process.wait()


_REFUSED = {
    "not JSON": (b"{nonsense\n", -32700, None),
    "half a message": (b'{"jsonrpc":"2.0","id":2,\n', -32700, None),
    "no Unicode": (b"\xff\xfe\n", -32700, None),
    "a NUL": (b"\0\n", -32700, None),
    "a lone surrogate": (b'{"jsonrpc":"2.0","id":3,"method":"\\ud800"}\n', -32700, 3),
    "too deep": (b"[" * 100_000 + b"\n", -32700, None),
    "a number": (b"42\n", -32600, None),
    "nothing": (b"{}\n", -32600, None),
    "an empty batch": (b"[]\n", -32600, None),
    "a batch in a batch": (b"[[" + b"[]" + b"]]\n", -32600, None),
    "another protocol": ({"jsonrpc": "1.0", "id": 4, "method": "ping"}, -32600, 4),
    "no protocol": ({"id": "five", "method": "ping"}, -32600, "five"),
    "no method": ({"jsonrpc": "2.0", "id": 6, "method": 6}, -32600, 6),
    "a list of parameters": ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}, -32600, 7),
    "no id": ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600, None),
    "half an id": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600, 1.5),
    "an id beyond numbers": (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n', -32600, None),
    "an id of another kind": ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600, None),
    "an unknown method": ({"jsonrpc": "2.0", "id": 8, "method": "no/such"}, -32601, 8),
    "a call of nothing": ({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {}}, -32602, 9),
}


def test_what_cannot_be_read_is_refused(client: _Client) -> None:
    """Nobody waits for an answer to a line that was none: JSON-RPC's code, and the id if there is one to be read."""
    for name, (line, code, number) in _REFUSED.items():
        (reply,) = client.replies(line)
        assert (reply["error"]["code"], reply["id"], reply["jsonrpc"]) == (code, number, "2.0"), name
    assert client.left() == (0, b"")


_UNANSWERED: list[bytes | dict[str, Any]] = [
    b"\n",
    b"  \r\n",
    {"jsonrpc": "2.0", "method": "notifications/nobody-knows"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}},
    {"jsonrpc": "2.0", "id": 77, "result": {}},
    {"jsonrpc": "2.0", "id": 77, "result": "not even an object"},
    {"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "x"}},
]


def test_what_asks_nothing_is_not_answered(client: _Client) -> None:
    """Empty lines, unknown notifications, the end of a request that was never made, and answers to nothing."""
    assert client.replies(*_UNANSWERED, count=0) == []


def test_a_batch_is_answered_one_by_one(client: _Client) -> None:
    """As the protocol of 2025-03-26 has it: every request in it, good or bad, gets its reply."""
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/nobody-knows"},
        {"id": 2, "method": "ping"},
        3,
    ]
    replies = client.replies(json.dumps(batch).encode() + b"\n", count=3)
    assert {reply["id"]: reply.get("error", {}).get("code") for reply in replies} == {1: None, 2: -32600, None: -32600}


def test_returns_are_space(client: _Client) -> None:
    """A message may have them between its parts, or at its end."""
    assert client.replies(b'{"jsonrpc":"2.0",\r"id":1,"method":"ping"}\r\n') == [
        {"jsonrpc": "2.0", "id": 1, "result": {}}
    ]


def test_a_line_without_end_takes_no_more_than_its_limit(client: _Client) -> None:
    """It is refused, the rest of it is passed over, and memory does not grow with it."""
    (reply,) = client.replies(b"x" * (4 * limits.MCP_MAX_LINE_BYTES) + b"\n")
    assert (reply["error"]["code"], reply["id"]) == (-32600, None)
    assert "16,777,216 bytes" in reply["error"]["message"]
    peak = next(
        int(line.split()[1]) for line in Path(f"/proc/{client.process.pid}/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )  # fmt: skip
    assert peak < 300_000


@pytest.mark.parametrize("said", [b'{"jsonrpc":"2.0","id":5,"method":"tools/call"', b""])
def test_an_input_that_ends_in_the_middle_ends_the_server(client: _Client, said: bytes) -> None:
    """In the middle of a line, or of a call: it leaves without a complaint."""
    call = {"name": "map", "arguments": {}}
    client.say({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call}, said)
    assert client.left() == (0, b"")


def test_a_server_that_nobody_hears_leaves(client: _Client) -> None:
    """Whoever does not read the answers any more need not end his questions, too."""
    client._output.close()
    client.say({"jsonrpc": "2.0", "id": 4, "method": "ping"})
    assert client.process.wait(PATIENCE_S) == 0
    assert client.process.stderr is not None
    assert client.process.stderr.read() == b""
