"""Writes what `everdex mcp` lists while the SDK is still being imported: the SDK's own answers, asked over HTTP.

    python docs/generate_mcp.py            rewrites src/everdex/surfaces/mcp/lists.json
    python docs/generate_mcp.py --check    says whether that would change it (exit 1)

Run it after a change of a tool, its description or its schema.
"""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import tempfile
from typing import Any, Final

from everdex.surfaces.mcp.greeting import LISTS

PROTOCOLS: Final = ("2025-06-18", "2025-11-25")  # which answer alike; older ones are few and wait for the SDK
METHODS: Final = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


class Session:
    """One conversation with a server that has no greeter."""

    def __init__(self, address: str, protocol: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=60)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        client = {"name": "generate", "version": "0"}
        self.greeting = self.ask("initialize", protocolVersion=protocol, capabilities={}, clientInfo=client)
        self._headers["Mcp-Protocol-Version"] = protocol
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        given = {"params": params} if params else {}
        body = self._post({"jsonrpc": "2.0", "id": 1, "method": method, **given})
        data = next(line for line in body.splitlines() if line.startswith("data: {"))
        result: dict[str, Any] = json.loads(data[6:])["result"]
        return result

    def _post(self, message: object) -> str:
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        reply = self._connection.getresponse()
        self._headers["Mcp-Session-Id"] = reply.headers.get("Mcp-Session-Id") or self._headers.get("Mcp-Session-Id", "")
        return reply.read().decode()


def asked() -> bytes:
    """The file's content as the SDK answers now."""
    with tempfile.TemporaryDirectory() as root:
        server = subprocess.Popen([sys.executable, "-m", "everdex", "mcp", root, "--http", "0"], stderr=subprocess.PIPE)
        try:
            assert server.stderr is not None
            address = server.stderr.readline().decode().rpartition(" on http://")[2].partition("/")[0]
            found = []
            for protocol in PROTOCOLS:
                session = Session(address, protocol)
                found.append({method: session.ask(method) for method in METHODS})
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)
    assert all(results == found[0] for results in found)
    document = {"protocols": PROTOCOLS, "results": found[0]}
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def main() -> int:
    content = asked()
    if sys.argv[1:] == ["--check"]:
        return int(content != LISTS.read_bytes())
    LISTS.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
