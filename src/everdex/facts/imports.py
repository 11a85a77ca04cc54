"""What an import, include, use or require statement says, for each language, from the statement's text.

Each statement becomes (path, alias, kind) triples: `path` in the language's own words with `.` between names (files and
Go packages keep their slashes), `alias` the name it has here ('' when the last name of the path, '*' when every name).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Triple = tuple[str, str, str]
_SPACE: Final = re.compile(r"\s+")
# A use tree this deep is not written by people.
_MAX_DEPTH: Final = 16


def imports_of(text: str, language: str) -> list[Triple]:
    parse = _PARSERS.get(language)
    return parse(_SPACE.sub(" ", text).strip().rstrip(";").strip()) if parse else []


def _go(text: str) -> list[Triple]:
    match = re.fullmatch(r"""(?:([\w.]+) ?)?["`](.*)["`]""", text)
    if not match:
        return []
    alias = match[1] or ""
    return [(match[2], "*" if alias == "." else alias, "")]


def _java(text: str) -> list[Triple]:
    match = re.fullmatch(r"import (static )?([\w.$ ]+?) ?(\.\*)?", text)
    if not match:
        return []
    return [(match[2].replace(" ", ""), "*" if match[3] else "", "static" if match[1] else "")]


def _kotlin(text: str) -> list[Triple]:
    match = re.fullmatch(r"import ([\w.` ]+?)(\.\*)?(?: as ([\w`]+))?", text)
    if not match:
        return []
    return [(match[1].replace(" ", "").replace("`", ""), "*" if match[2] else match[3] or "", "")]


def _scala(text: str) -> list[Triple]:
    found: list[Triple] = []
    for part in _split(re.sub(r"^(import|export) ", "", text)):
        match = re.fullmatch(r"([\w.` ]+?)\.\{(.*)\}", part)
        if match:
            for selector in _split(match[2]):
                name, _, alias = (piece.strip() for piece in re.sub(r" ?=> ?| as ", "\x00", selector).partition("\x00"))
                if alias != "_":
                    found.append(_selected(match[1].replace(" ", ""), name, alias))
        else:
            path, _, alias = part.partition(" as ")
            front, _, name = path.strip().rpartition(".")
            found.append(_selected(front, name, alias.strip()))
    return found


def _selected(front: str, name: str, alias: str) -> Triple:
    if name in ("_", "*", "given"):
        return (front, "*", "")
    return (f"{front}.{name}" if front else name, alias, "")


GLOBAL: Final = "global"  # C#: it counts in every file of the project


def _csharp(text: str) -> list[Triple]:
    match = re.fullmatch(r"(global )?using (static )?(?:(\w+) ?= ?)?(?:global::)?([\w.<>, :]+)", text)
    if not match:
        return []
    return [(match[4].replace("::", "."), match[3] or "*", GLOBAL if match[1] else "static" if match[2] else "")]


def _rust(text: str) -> list[Triple]:
    match = re.fullmatch(r"(pub(?:\([^)]*\))? ?)?(?:use|extern crate) (.*)", text)
    if not match:
        return []
    found: list[Triple] = []
    kind = "pub" if match[1] else ""
    waiting = [("", match[2], 0)]
    while waiting:
        prefix, tree, depth = waiting.pop()
        tree = tree.strip().removeprefix("::")
        if not tree or depth > _MAX_DEPTH:
            continue
        if tree.startswith("{"):
            waiting += [(prefix, part, depth + 1) for part in reversed(_split(tree[1:-1]))]
            continue
        group = re.fullmatch(r"([^{]*?):: ?\{(.*)\}", tree)
        if group:
            inner = _joined(prefix, group[1])
            waiting += [(inner, part, depth + 1) for part in reversed(_split(group[2]))]
            continue
        path, _, alias = (piece.strip() for piece in tree.partition(" as "))
        whole = _joined(prefix, path)
        if whole.endswith(".*") or whole == "*":
            found.append((whole[:-2], "*", kind))
        else:
            found.append((whole.removesuffix(".self"), alias, kind))
    return found


def _joined(prefix: str, path: str) -> str:
    path = path.replace("::", ".").replace(" ", "")
    return f"{prefix}.{path}" if prefix and path else prefix or path


def _include(text: str) -> list[Triple]:
    include = re.match(r"""# ?include(?:_next)? ?(["<])([^">]+)[">]""", text)
    if include:
        return [(include[2], "", "local" if include[1] == '"' else "system")]
    space = re.fullmatch(r"using namespace ([\w: ]+)", text)
    if space:
        return [(_colons(space[1]), "*", "")]
    alias = re.fullmatch(r"namespace (\w+) ?= ?([\w: ]+)", text)
    if alias:
        return [(_colons(alias[2]), alias[1], "")]
    using = re.fullmatch(r"using (?:typename )?([\w: ~]+)", text)
    return [(_colons(using[1]), "", "")] if using else []


def _colons(text: str) -> str:
    return text.replace(" ", "").replace("::", ".").strip(".")


def _ruby(text: str) -> list[Triple]:
    match = re.match(r"""(require|require_relative|load)\b ?\(? ?["']([^"'#]+)["']""", text)
    if not match:
        return []
    return [(match[2], "", "relative" if match[1] == "require_relative" else "file")]


def _php(text: str) -> list[Triple]:
    file = re.match(r"""(?:require|include)(?:_once)?\b ?\(? ?(.*)""", text)
    if file:
        quoted = re.search(r"""["']([^"']+)["']""", file[1])
        return [(quoted[1], "", "file")] if quoted else []
    match = re.fullmatch(r"use (function |const )?(.*)", text)
    if not match:
        return []
    found: list[Triple] = []
    for part in _split(match[2]):
        group = re.fullmatch(r"\\?([\w\\]+?)\\? ?\{(.*)\}", part)
        prefix, parts = (f"{group[1]}.", _split(group[2])) if group else ("", [part])
        for single in parts:
            path, _, alias = (piece.strip() for piece in single.partition(" as "))
            kind = (match[1] or "").strip()
            if path.startswith(("function ", "const ")):
                kind, _, path = path.partition(" ")
            found.append(((prefix + path.lstrip("\\")).replace("\\", "."), alias, kind))
    return found


def _swift(text: str) -> list[Triple]:
    match = re.search(r"\bimport (?:struct |class |enum |protocol |func |typealias |let |var )?([\w.]+)$", text)
    return [(match[1], "*", "")] if match else []


def _lua(text: str) -> list[Triple]:
    match = re.search(r"""["']([\w./-]+)["']""", text)
    return [(match[1], "", "file")] if match else []


def _bash(text: str) -> list[Triple]:
    match = re.match(r"""(?:source|\.) ["']?(?:\$\{?\w+\}?|\$\([^)]*\)+)?["']?/?([\w./@+-]+)["']?""", text)
    return [(match[1], "", "file")] if match else []


def _split(text: str) -> list[str]:
    """At the commas outside braces."""
    parts, depth, begin = list[str](), 0, 0
    for match in re.finditer(r"[{},]", text):
        if match[0] == ",":
            if not depth:
                parts.append(text[begin : match.start()].strip())
                begin = match.end()
        else:
            depth += 1 if match[0] == "{" else -1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


_PARSERS: Final[dict[str, Callable[[str], list[Triple]]]] = {
    "bash": _bash,
    "c": _include,
    "cpp": _include,
    "csharp": _csharp,
    "cuda": _include,
    "go": _go,
    "java": _java,
    "kotlin": _kotlin,
    "lua": _lua,
    "php": _php,
    "ruby": _ruby,
    "rust": _rust,
    "scala": _scala,
    "swift": _swift,
}
