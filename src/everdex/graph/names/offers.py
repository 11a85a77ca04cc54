"""What a file offers to be looked at: keys with hashes of what a reader could see, never of positions or bodies.

    d:NAME  a definition by its lookup name     n:NAME  definitions by their last name
    s:NAME  types that say they have this base  x:NAME  extension functions of this name
    p:SPACE files of a package or namespace     b:NAME  files of this base name
    m:NAME  methods of interfaces and traits    w:NAME  methods of an interface of Go, all of them
    i:NAME  impl blocks for types of this name  a:NAME  what Rust's modules and imports are called
    f:PATH  a file's imports and package        project files: `go.mod`, `crate:NAME`, `renamed:NAME`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from tomllib import TOMLDecodeError
from typing import Any, Final

import xxhash

from everdex.facts import names_model as facts
from everdex.facts.imports import GLOBAL
from everdex.graph.names.module import Module, swift_module
from everdex.graph.names.rules import ABSTRACT, CALLABLES, VALUES
from everdex.strangers import read_toml

PREFIX: Final = "names:"
_DEPENDENCIES: Final = ("dependencies", "dev-dependencies", "build-dependencies")
_GO_MODULE: Final = re.compile(rb"^module\s+(\S+)", re.MULTILINE)


def key(group: str, kind: str, name: str) -> str:
    return f"{PREFIX}{group}:{kind}:{name}"


def go_module_of(source: bytes) -> str:
    found = _GO_MODULE.search(source)
    return found[1].decode("utf-8", "replace").strip('"') if found else ""


def _manifest(source: bytes) -> dict[str, Any]:
    try:
        return read_toml(source)
    except TOMLDecodeError:
        return {}


def _crates_of(manifest: Mapping[str, Any]) -> set[str]:
    """What others call a package of Rust, and its library if that has a name of its own."""
    tables = [table for table in (manifest.get("package"), manifest.get("lib")) if isinstance(table, dict)]
    return {name.replace("-", "_") for table in tables if isinstance(name := table.get("name"), str)}


def renamed_crates(source: bytes) -> dict[str, str]:
    """What a manifest of Rust calls packages that have another name: `tui = { package = "helix-tui" }`."""
    return _renamed_in(_manifest(source))


def _renamed_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    targets = manifest.get("target")
    kinds = targets.values() if isinstance(targets, dict) else ()
    around = [table for table in (manifest, manifest.get("workspace"), *kinds) if isinstance(table, dict)]
    depended = [table[name] for table in around for name in _DEPENDENCIES if isinstance(table.get(name), dict)]
    return {
        name.replace("-", "_"): package.replace("-", "_")
        for table in depended for name, said in table.items()
        if isinstance(said, dict) and isinstance(package := said.get("package"), str)
    }  # fmt: skip


def offers_of(path: str, encoded: bytes, source: bytes) -> Mapping[str, int]:
    name = path.rpartition("/")[2]
    if name == "go.mod":
        return {f"{PREFIX}go.mod": _hash(go_module_of(source))}
    if name == "Cargo.toml":
        manifest = _manifest(source)
        renamed = {f"{PREFIX}renamed:{name}": _hash(package) for name, package in _renamed_in(manifest).items()}
        return {**{f"{PREFIX}crate:{crate}": 1 for crate in _crates_of(manifest)}, **renamed}
    if not encoded.startswith(facts.FAMILY):
        return {}
    return _module_offers(Module(path, facts.outline_of(encoded)))


def _module_offers(module: Module) -> dict[str, int]:
    outline, group = module.outline, module.rules.group
    seen: dict[str, list[object]] = {}
    heads = _heads(module)

    def see(kind: str, name: str, what: object) -> None:
        seen.setdefault(key(group, kind, name), []).append(what)

    for index, item in enumerate(outline.definitions):
        lookup, node_key = module.names[index], module.keys[index]
        if item.kind == "lambda":
            continue
        signature, around = _head(item), heads[item.parent]
        called = (lookup, node_key, item.kind, item.flags, item.least, item.most, item.takes, signature, around)
        whole = (
            node_key, item.kind, item.flags, item.least, item.most, item.returns, item.type, item.value, item.bases,
            item.receiver, item.takes, item.public, signature, around, _has_members(module, index),
        )  # fmt: skip
        see("d", lookup, whole)
        if not item.flags & facts.SCOPE_ONLY:
            see("n", item.name, called)
        elif item.kind == "impl":
            see("i", item.name, (lookup, item.receiver, item.type, item.receiver and item.bases, around))
        if item.parent >= 0 and item.kind in CALLABLES and outline.definitions[item.parent].kind in ABSTRACT:
            see("m", item.name, called)
            if group == "go":
                see("w", module.names[item.parent], (item.name, item.least, item.most))
        if item.receiver and item.kind in CALLABLES:
            see("x", item.name, (lookup, whole))
        for base in module.bases_of(item):
            see("s", base, (lookup, item.bases, item.kind, item.type, item.receiver, around))
    for lookup, slots in module.slots.items():
        see("d", lookup, [(slot.type, slot.value, heads[slot.owner]) for slot in slots])
    space = module.space or (outline.package if group == "c" else "")  # C++: a namespace that a macro opens
    if group == "swift":
        space = swift_module(module.path)
    if space or group == "rust":  # a crate at the top of the root has no name before its modules'
        see("p", space, outline.package)
    if group == "rust":
        see("a", space.rpartition(".")[2], space)
        for used in outline.imports:
            see("a", used.alias or used.path.rpartition(".")[2], used.path)
    see("b", module.path.rpartition("/")[2], 1)
    imports = [(item.scope, item.path, item.alias, item.kind, item.conditional) for item in outline.imports]
    see("f", module.path, (outline.package, imports))
    if any(item.kind == GLOBAL for item in outline.imports):
        see("g", "", imports)
    return {name: _hash(what) for name, what in seen.items()}


def _heads(module: Module) -> dict[int, int]:
    """Of each definition, and of the file (-1), what those inside it are read with: its words, and those around it. A
    type that a member states may be a parameter of the type around it, or be looked for there."""
    heads = {-1: _hash(module.outline.language)}  # a header is C or C++ by what it contains
    for index, item in enumerate(module.outline.definitions):
        own = (item.kind, item.flags, item.receiver, item.returns, item.type, _head(item))
        heads[index] = _hash((own, heads[item.parent]))
    return heads


def _head(item: facts.Defined) -> str:
    """The words of a definition, of which many say how it is used (`virtual`, `private`, `implicit`); not its value."""
    if item.kind == "lambda":
        return ""
    return item.signature.partition("=")[0] if item.kind in VALUES else item.signature


def _has_members(module: Module, index: int) -> bool:
    """Whether Lua's table or a variable of C has members, which tells it apart from others of the name."""
    group, kind = module.rules.group, module.outline.definitions[index].kind
    return (group == "lua" or (group == "c" and kind in VALUES)) and module.names[index] in module.owners


def _hash(what: object) -> int:
    return xxhash.xxh3_64_intdigest(repr(what).encode("utf-8", "backslashreplace"))
