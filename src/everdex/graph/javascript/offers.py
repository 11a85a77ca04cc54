"""What a JavaScript file offers to other files: keys, each with a hash of what a reader could see; no positions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final
from zlib import crc32

import msgspec

from everdex.graph.javascript.augmented import added
from everdex.graph.javascript.files import File, methods
from everdex.graph.javascript.handed import handed
from everdex.graph.javascript.hashes import Hashes
from everdex.graph.javascript.heirs import claims
from everdex.graph.javascript.keys import (
    ADDED_KEY,
    ADDED_NAMES_KEY,
    ASIDE_KEY,
    CALLS_KEY,
    CROWD_KEY,
    HANDED_KEY,
    HEIRS_KEY,
    MAX_CALLS,
    called_key,
    export_key,
    kind_key,
    literals_key,
)
from everdex.graph.javascript.modules import PROJECT_KEY, places
from everdex.graph.javascript.project import is_project_file, relevant
from everdex.languages import role_of

_encode: Final = msgspec.msgpack.Encoder().encode


def offers(path: str, source: bytes, file: File | None, hashes: Hashes | None) -> Mapping[str, int]:
    """Every key of a file with a hash of its content; a project file has nothing but that."""
    found = dict.fromkeys(places(path), 1)
    if is_project_file(path):
        found[PROJECT_KEY] = crc32(json.dumps(relevant(path, source)).encode())  # of what fits, the first is meant
    if file is None or hashes is None:
        return found
    for key, parts in hashes.definitions().items():
        found[key] = _of(parts)
    found |= {key: _of(parts) for key, parts in hashes.of_classes().items()}
    found[kind_key(path)] = crc32(_encode((file.facts.module, file.has_parts, bool(file.exports))))
    for name, exports in file.exports.items():
        found[export_key(path, name)] = _of(
            (hashes.rows[export.value], export.specifier, export.imported) for export in exports
        )
    for name, keys in methods(file).items():
        found[f"js:method:{name}"] = _of(keys)
    for name, claimed in claims(file).items():
        found[HEIRS_KEY + name] = _of((kind, hashes.claimed(kind, index)) for kind, index in claimed)
    if names := added(file):
        found[ADDED_NAMES_KEY] = _of(sorted(names))
    for name, places_ in names.items():
        found[ADDED_KEY + name] = _of((module, file.keys[file.interfaces[index].node]) for module, index in places_)
    for name, literals in handed(file).items():
        found[HANDED_KEY + name] = _of((hashes.rows[each], hashes.standing(each)) for each in literals)
    private = {name for name, everywhere in map(file.called_by, range(len(file.functions))) if not everywhere}
    kind = CALLS_KEY if role_of(path) == "source" else ASIDE_KEY
    for name, calls in file.calls.items():
        said = found[kind + name] = _of(hashes.rows[call] for call in calls)
        if len(calls) > MAX_CALLS:
            found[CROWD_KEY + kind + name] = 1
        if name in private:
            found[called_key(path, name)] = said
    for name, indexes in file.facts.globals.items():
        found[f"js:global:{name}"] = _of(file.bindings[index].kind for index in indexes)
    for home, literals in hashes.literals().items():
        found[literals_key(path, home)] = _of(literals)
    for name in hashes.members():
        found[f"js:member:{name}"] = 1
    return found


def _of(parts: Iterable[Any]) -> int:
    return crc32(_encode(list(parts)))
