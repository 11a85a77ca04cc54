"""What a coding agent should know about the files it touches, in a few hundred characters.

Part of the façade's room. Before an edit: what the file defines. After one: which definitions came, went or changed,
told from the file itself, because an agent does not wait for an index. Names and paths are a repository's own and so
untrusted: they go out short and only when they look like names; no signature, comment or heading is ever passed on.

`_about` is the one place that says what hangs on a file. Today that is the file's own definitions; who depends on
them belongs there once the daemon keeps the graph of its view open: making one takes too long for an edit.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from everdex.discover.beneath import read_beneath
from everdex.languages import GRAMMARS, language_of
from everdex.parse.file import parse_file
from everdex.resident import ResidentIndex
from everdex.view import SnapshotView

# What can be parsed while an agent waits.
_MAX_BYTES: Final = 262_144
_MAX_FILES: Final = 3
_MAX_REMEMBERED: Final = 256
_REMEMBERING: Final = threading.Lock()
_MAX_PLACES: Final = 5
_NAME: Final = re.compile(r"[\w.:$<>~#-]{1,80}")
_PATH: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff`]{1,200}")


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition as far as an agent is concerned."""

    name: str
    kind: str
    line: int
    signature: str


_Outline: TypeAlias = dict[str, list[Defined]]  # by name


@dataclass(frozen=True, slots=True)
class Touch:
    """What happened: `moment` is start, before or after; `names` were searched for."""

    moment: str
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    written: bool = False


def notice(warm: ResidentIndex, touch: Touch, limit: int) -> str:
    """At most `limit` characters; empty when there is nothing worth saying."""
    if touch.moment == "start":
        return _fitted([_greeting(warm)], limit)
    keys = _keys(warm.index.root.path, touch.paths)
    if not touch.written or touch.moment == "before":
        for key in keys:
            _remember(warm, key, _on_disk(warm, key))
        with warm.reader.pinned() as kept:
            said = [line for key in keys for line in _about(kept.view, key)]
            return _fitted(said + [line for name in touch.names for line in _defined(kept.view, name)], limit)
    with warm.reader.pinned() as kept:
        # Last seen rather than last indexed: the index may have been faster than the agent.
        seen = warm.outlines
        before = {key: seen[key] if key in seen else _outline(kept.view, key) for key in keys}
    said = [_changes(warm, key, before[key]) for key in keys]
    warm.refresh_soon()
    return _fitted(list(filter(None, said)), limit)


def _greeting(warm: ResidentIndex) -> str:
    with warm.reader.pinned() as kept:
        files, snapshot = len(kept.view.paths), kept.view.manifest.snapshot_id
    return (
        f"everdex keeps an index of this repository current while you work ({files:,} files, snapshot {snapshot}). "
        'Ask it before you grep: `everdex search "a question or a name"`, `everdex symbols NAME|FILE`, '
        "`everdex callers NAME`, `everdex impact NAME` before you change something that others use, "
        "`everdex search --mode regex PATTERN`. Every answer says how fresh it is."
    )


def _about(view: SnapshotView, key: str) -> list[str]:
    """What hangs on a file, one line each; nothing for a file that the index does not know."""
    outline = _outline(view, key)
    if not outline:
        return []
    listed = ", ".join(f"{name} {found[0].kind} {found[0].line}" for name, found in outline.items())
    return [f"everdex: {_path(key)} defines {listed}"]


def _changes(warm: ResidentIndex, key: str, before: _Outline) -> str:
    """What a written file defines now and did not when it was indexed, and the other way round."""
    now = _on_disk(warm, key)
    if now is None:
        return ""
    _remember(warm, key, now)
    parts = []
    if gone := [name for name in before if name not in now]:
        parts.append(f"no longer defines {', '.join(gone)}")
    if new := [f"{name} {found[0].line}" for name, found in now.items() if name not in before]:
        parts.append(f"newly defines {', '.join(new)}")
    both = [name for name in now if name in before]
    if changed := [name for name in both if _signatures(now[name]) != _signatures(before[name])]:
        parts.append(f"has another signature for {', '.join(changed)}")
    return f"everdex: {_path(key)} {'; '.join(parts)}" if parts else ""


def _remember(warm: ResidentIndex, key: str, outline: _Outline | None) -> None:
    """What the next edit of the file is compared with."""
    if outline is None:
        return
    with _REMEMBERING:
        kept = {old: known for old, known in warm.outlines.items() if old != key}
        while len(kept) >= _MAX_REMEMBERED:
            del kept[next(iter(kept))]
        warm.outlines = {**kept, key: outline}


def _on_disk(warm: ResidentIndex, key: str) -> _Outline | None:
    """The file's definitions as it is now, parsed on the spot; None when that would say nothing or take long."""
    if language_of(key) not in GRAMMARS:
        return None
    try:
        descriptor = read_beneath(warm.index.root.path, key)
    except FileNotFoundError:
        return {}
    except OSError:
        return None  # a link out of the root, a directory, no permission: not for us to read
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = stream.read(_MAX_BYTES + 1)
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    if len(data) > _MAX_BYTES:
        return None
    symbols = parse_file(key, data, warm.index.config.index).symbols
    return _by_name(Defined(s.qualified_name, s.kind, s.start_line, s.signature) for s in symbols)


def _defined(view: SnapshotView, name: str) -> list[str]:
    """Where a name that was searched for is defined."""
    rows = [row for row in view.symbols_named(name.rpartition(".")[2]) if f".{row.qualified_name}".endswith(f".{name}")]
    places = [f"{_path(row.path_key)}:{row.start_line} ({row.kind})" for row in rows[:_MAX_PLACES]]
    more = f" and {len(rows) - len(places)} more" if len(rows) > len(places) else ""
    return [f"everdex: {name} is defined at {', '.join(places)}{more}"] if places and _NAME.fullmatch(name) else []


def _outline(view: SnapshotView, key: str) -> _Outline:
    """A file's definitions as they are indexed; none for a file that is not."""
    try:
        rows = view.symbols_of(key)
    except KeyError:
        return {}
    return _by_name(Defined(r.qualified_name, r.kind, r.start_line, view.description(r)[0]) for r in rows)


def _by_name(found: Iterable[Defined]) -> _Outline:
    """Definitions by name, in their order; what does not look like a name is left out."""
    outline: _Outline = {}
    for defined in found:
        if _NAME.fullmatch(defined.name):
            outline.setdefault(defined.name, []).append(defined)
    return outline


def _signatures(found: Iterable[Defined]) -> list[str]:
    return [defined.signature for defined in found]


def _keys(root: Path, paths: Sequence[str]) -> list[str]:
    """Path keys of what lies below the root, also when a link leads there."""
    keys = []
    for path in paths:
        parent, name = os.path.split(path)
        real = os.path.join(os.path.realpath(parent), name)
        if real.startswith(f"{root}{os.sep}"):
            keys.append(os.path.relpath(real, root))
    return list(dict.fromkeys(keys))[:_MAX_FILES]


def _path(key: str) -> str:
    return key if _PATH.fullmatch(key) else "a file with an unusual name"


def _fitted(lines: Sequence[str], limit: int) -> str:
    """Whole lines while they fit, the last one cut at a comma; what is missing is said."""
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    ending = " … (cut; `everdex symbols FILE` has all)"
    if limit <= len(ending):
        return ""
    head = text[: limit - len(ending)]
    return head[: max(head.rfind(", "), head.rfind("\n"), 0)] + ending
