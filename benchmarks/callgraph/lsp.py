"""A language server over its standard input and output: started for a checkout, asked where names lead, ended.

Knows how each of the servers is told about a checkout that nobody has built, and when it is ready to be asked. What it
answers is taken as it is; whether that is right is not judged here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

C_ENDINGS = (".c", ".cc", ".cpp", ".cxx")
HEADER_ENDINGS = (".h", ".hpp", ".hh")
LANGUAGES = {
    ".go": "go", ".rs": "rust", ".php": "php", ".c": "c", ".ts": "typescript", ".mts": "typescript",
    ".cts": "typescript", ".tsx": "typescriptreact", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascriptreact", ".py": "python",
}  # fmt: skip
READY_WAIT = 600.0
ANSWER_WAIT = 60.0

Place = tuple[str, int, int]  # path from the root ('' when outside), first line (from 1), last line


class Unavailable(Exception):
    """The server is not installed."""


def _compile_commands(root: Path, work: Path) -> list[str]:
    """One entry a source file, with every directory of headers: nobody has configured the checkout."""
    headers = {path.parent for ending in HEADER_ENDINGS for path in root.rglob(f"*{ending}")}
    around = {parent for path in headers for parent in (path, path.parent) if parent.is_relative_to(root)}
    flags = [f"-I{path}" for path in sorted(around)]
    entries = [
        {"directory": str(root), "file": str(path), "arguments": [
            "clang", *flags, "-std=gnu11" if path.suffix == ".c" else "-std=c++20", "-D_GNU_SOURCE", str(path),
        ]}
        for ending in C_ENDINGS for path in sorted(root.rglob(f"*{ending}"))
    ]  # fmt: skip
    (work / "compile_commands.json").write_text(json.dumps(entries))
    return [f"--compile-commands-dir={work}", "--background-index", "-j=2", "--log=error", "--limit-references=0"]


def _rust_project(root: Path) -> dict[str, Any]:
    """The workspace's crates, each knowing all the others: what they depend on besides is not there to be read."""
    crates: list[dict[str, Any]] = []
    names: list[str] = []
    for manifest in sorted(root.rglob("Cargo.toml")):
        text = manifest.read_text()
        named = re.search(r'^\s*\[package\][^\[]*?^\s*name\s*=\s*"([\w-]+)"', text, re.MULTILINE | re.DOTALL)
        roots = [manifest.parent / "src" / name for name in ("lib.rs", "main.rs")]
        stated = re.search(r'^\s*\[(?:lib|\[bin\])\][^\[]*?^\s*path\s*=\s*"([^"]+)"', text, re.MULTILINE | re.DOTALL)
        found = next((path for path in (manifest.parent / stated[1] if stated else roots[0], *roots) if path.is_file()),
                     None)
        if named is None or found is None:
            continue
        features = re.search(r"^\[features\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
        flags = re.findall(r"^([\w-]+)\s*=", features[1], re.MULTILINE) if features else []
        names.append(named[1].replace("-", "_"))
        crates.append({
            "display_name": named[1], "root_module": str(found), "edition": "2021", "is_workspace_member": True,
            "cfg": ["test", "unix", *(f'feature="{flag}"' for flag in flags)],
        })  # fmt: skip
    for number, crate in enumerate(crates):
        crate["deps"] = [{"crate": at, "name": name} for at, name in enumerate(names) if at != number]
    return {"sysroot_src": os.environ.get("RUST_SYSROOT_SRC", ""), "crates": crates}


class Server:
    """One language server at work on one checkout."""

    def __init__(self, name: str, root: Path, work: Path, settings: dict[str, Any] | None = None) -> None:
        """`settings`: what it is told when it asks for a section of its configuration."""
        self.root = root
        self._settings = settings or {}
        command, options = self._command(name, root, work)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._answers: dict[int, Any] = {}
        self._changed = threading.Condition()
        # These answer when they have loaded.
        self._ready = name in ("gopls", "pyright-langserver", "typescript-language-server")
        self._indexing = ""  # the token of its progress
        self._number = 0
        self._opened: set[str] = set()
        threading.Thread(target=self._listen, daemon=True).start()
        capabilities = {
            "window": {"workDoneProgress": True},
            "experimental": {"serverStatusNotification": True},
            "textDocument": {"definition": {"linkSupport": False}},
        }
        self._ask("initialize", {
            "processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": capabilities,
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}], "initializationOptions": options,
        })  # fmt: skip
        self._tell("initialized", {})
        self._name = name

    @staticmethod
    def _command(name: str, root: Path, work: Path) -> tuple[list[str], dict[str, Any]]:
        program = os.environ.get(f"{name.upper().replace('-', '_')}_PROGRAM") or shutil.which(name)
        if program is None:
            raise Unavailable(name)
        if name == "clangd":
            return [program, *_compile_commands(root, work)], {}
        if name == "rust-analyzer":
            return [program], {
                "linkedProjects": [_rust_project(root)], "checkOnSave": False, "cachePriming": {"enable": False},
                "procMacro": {"enable": False}, "cargo": {"buildScripts": {"enable": False}},
            }  # fmt: skip
        if name == "pyright-langserver":
            return [program, "--stdio"], {}
        if name == "intelephense":
            return [program, "--stdio"], {"storagePath": str(work), "clearCache": True}
        if name == "typescript-language-server":
            return [program, "--stdio"], {
                "disableAutomaticTypingAcquisition": True, "tsserver": {"useSyntaxServer": "never"},
            }  # fmt: skip
        return [program], {}

    def wait_until_ready(self, first: str) -> None:
        """Indexed: what it says of one file no longer depends on which others it has read."""
        self._open(first)
        if self._name == "clangd":
            time.sleep(5)  # it begins to index in the background after it has opened a file
        with self._changed:
            if not self._changed.wait_for(lambda: self._ready, READY_WAIT):
                print(f"{self._name} did not say within {READY_WAIT:.0f} s that it is ready")

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        self._open(path)
        found = self._ask("textDocument/definition", self._at(path, line, column))
        return self._places(found)

    def references(self, path: str, line: int, column: int) -> list[Place]:
        self._open(path)
        asked = self._at(path, line, column) | {"context": {"includeDeclaration": False}}
        return self._places(self._ask("textDocument/references", asked))

    def callers(self, path: str, line: int, column: int) -> list[tuple[str, int, str]]:
        """Path, line of the name and name of what its call hierarchy says calls the function named there."""
        self._open(path)
        found = []
        for item in self._ask("textDocument/prepareCallHierarchy", self._at(path, line, column)) or []:
            for call in self._ask("callHierarchy/incomingCalls", {"item": item}) or []:
                caller = call["from"]
                at, first, _ = self._places([{"uri": caller["uri"], "range": caller["selectionRange"]}])[0]
                found.append((at, first, caller["name"]))
        return found

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _at(self, path: str, line: int, column: int) -> dict[str, Any]:
        uri = (self.root / path).as_uri()
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}

    def _places(self, found: Any) -> list[Place]:
        places = []
        for item in found if isinstance(found, list) else [found] if found else []:
            target = Path(unquote(urlparse(item["uri"]).path)).resolve()
            first, last = (item["range"][edge]["line"] + 1 for edge in ("start", "end"))
            inside = target.is_relative_to(self.root)
            path = target.relative_to(self.root).as_posix() if inside else ""
            places.append((path, first, last))
        return places

    def _open(self, path: str) -> None:
        if path in self._opened:
            return
        self._opened.add(path)
        text = (self.root / path).read_text("utf-8", "replace")
        language = LANGUAGES.get(Path(path).suffix, "cpp")
        uri = (self.root / path).as_uri()
        self._tell("textDocument/didOpen", {
            "textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}
        })  # fmt: skip

    def _ask(self, method: str, parameters: Any) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": parameters})
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers, ANSWER_WAIT)
            return self._answers.pop(number, None)

    def _tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                return
            self._heard(json.loads(stream.read(length)))

    def _heard(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params") or {}
        if method is None:
            with self._changed:
                self._answers[message["id"]] = message.get("result")
                self._changed.notify_all()
        elif "id" in message:  # the server asks: for settings, or whether it may show progress
            items = parameters.get("items", []) if isinstance(parameters, dict) else []
            asked = [self._settings.get(item.get("section", "")) for item in items]
            result = asked if method == "workspace/configuration" else None
            self._send({"id": message["id"], "result": result})
        elif (method == "experimental/serverStatus" and parameters.get("quiescent")) or (
            method == "$/progress" and self._indexed(parameters["token"], parameters["value"])
        ):
            with self._changed:
                self._ready = True
                self._changed.notify_all()

    def _indexed(self, token: str, value: dict[str, Any]) -> bool:
        if value["kind"] == "begin" and "indexing" in value.get("title", ""):
            self._indexing = token
        return value["kind"] == "end" and token == self._indexing
