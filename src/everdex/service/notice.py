"""What a coding agent should know about the files it touches, in a few hundred characters.

Before an edit: who else uses what the file defines; while there is no graph, what the file defines. After an edit:
which definitions came, went or changed, and who used those that went or changed. This is told from the file itself,
because an agent does not wait for an index. Names and paths come from the repository and are untrusted: they go out
short and only when they look like names; no signature, comment or heading is passed on.
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
from everdex.graph.definitions.atlas import Definition
from everdex.languages import GRAMMARS, is_said, language_in, language_of
from everdex.parse.file import parse_file
from everdex.service import boarding
from everdex.service.dependents import Dependents, Used, dependents
from everdex.service.kept import Kept
from everdex.service.opening import open_made
from everdex.service.resident import ResidentIndex
from everdex.view import SnapshotView
from everdex.wording import plural

# What can be parsed while an agent waits.
PARSED_BYTES: Final = 262_144
_MAX_FILES: Final = 3
_MAX_REMEMBERED: Final = 256
_GOES_ON: Final = ("compact", "resume")
_REMEMBERING: Final = threading.Lock()
_MAX_PLACES: Final = 5
_MAX_CALLERS: Final = 3
# What a repository calls things reaches an agent: anything but a name could be taken for a word to it.
NAME: Final = re.compile(r"[\w.:$<>~#-]{1,80}")
_MAX_PATH: Final = 200


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
    source: str = ""  # of a start: startup, resume, clear or compact


def notice(warm: ResidentIndex, touch: Touch, limit: int) -> str:
    """At most `limit` characters; empty when there is nothing worth saying."""
    if touch.moment == "start":
        return _started(warm, touch.source, limit)
    keys = _keys(warm.index.root.path, touch.paths)
    if not touch.written or touch.moment == "before":
        for key in keys:
            _remember(warm, key, _on_disk(warm, key))
        with warm.reader.pinned() as kept:
            said = [line for key in keys for line in _about(kept, key)]
            return _fitted(said + [line for name in touch.names for line in _defined(kept.view, name)], limit)
    with warm.reader.pinned() as kept:
        # Last seen rather than last indexed: the index may have been faster than the agent.
        seen = warm.outlines
        before = {key: seen[key] if key in seen else _outline(kept.view, key) for key in keys}
        said = [line for key in keys for line in _changes(warm, kept, key, before[key])]
    warm.refresh_soon()
    return _fitted(said, limit)


def _started(warm: ResidentIndex, source: str, limit: int) -> str:
    """A summary of the index for a session that starts; one that continues an earlier session gets the board first."""
    if source in _GOES_ON:
        with warm.reader.pinned() as kept:
            board = boarding.told(kept.view, limit)
    else:
        board = boarding.announced(warm.reader.store)
    greeting = _fitted([_greeting(warm)], limit)
    if not board:
        return greeting
    return f"{board}\n{greeting}" if len(board) + len(greeting) < limit else board[:limit]


def _greeting(warm: ResidentIndex) -> str:
    with warm.reader.pinned() as kept:
        files, snapshot = len(kept.view.paths), kept.view.manifest.snapshot_id
    return (
        f"everdex keeps an index of this repository current while you work ({files:,} files, snapshot {snapshot}). "
        'Ask it before you grep: `everdex search "a question or a name"`, `everdex symbols NAME|FILE`, '
        "`everdex callers NAME`, `everdex impact NAME` before you change something that others use, "
        "`everdex search --mode regex PATTERN`. Every answer says how fresh it is."
    )


def _about(kept: Kept, key: str) -> list[str]:
    """What hangs on a file, one line each; nothing for a file that the index does not know."""
    outline = _outline(kept.view, key)
    if not outline:
        return []
    users = _dependents(kept, key)
    if users is not None and users.used:
        return [_summary(key, users), *map(_usage, users.used), *_unused(users.unused)]
    listed = ", ".join(f"{name} {found[0].kind} {found[0].line}" for name, found in outline.items())
    return [f"everdex: {plain_path(key)} defines {listed}"]


def _dependents(kept: Kept, key: str) -> Dependents | None:
    """Who uses a file, where the graph of the active snapshot is made; an agent does not wait for one."""
    opened = kept.graph(open_made)
    return None if opened is None else dependents(opened.atlas, key)


def _summary(key: str, found: Dependents) -> str:
    files, tests = len(found.files), found.tests
    shown = ", ".join(map(plain_path, tests[:_MAX_PLACES])) + (", …" if len(tests) > _MAX_PLACES else "")
    among = f", {len(tests):,} of them {'tests' if len(tests) > 1 else 'a test'} ({shown})" if tests else ", no test"
    return f"everdex: {plain_path(key)} is used by {plural(files, 'other file')}{among}"


def _usage(used: Used) -> str:
    """One definition's line: how often it is used, how certain that is, and by whom."""
    node, files = used.definition.node, len(used.files)
    where = plural(files, "file")
    name = used.name if NAME.fullmatch(used.name) else "a definition"
    if not used.uses:
        return f"{name} {node.kind} {node.start_line}: {where}"
    doubt = f", {used.uncertain:,} uncertain" if used.uncertain else ""
    callers = [caller for caller in used.callers if NAME.fullmatch(caller)]
    more = ", …" if len(callers) > _MAX_CALLERS else ""
    shown = f", called by {', '.join(callers[:_MAX_CALLERS])}{more}" if callers else ""
    return f"{name} {node.kind} {node.start_line}: {plural(used.uses, 'use')} in {where}{doubt}{shown}"


def _unused(definitions: Sequence[Definition]) -> list[str]:
    names = [f"{item.node.key} {item.node.start_line}" for item in definitions if item.node.parent == 0]
    listed = [name for name in names if NAME.fullmatch(name.partition(" ")[0])]
    return [f"in no other file: {', '.join(listed)}"] if listed else []


def _changes(warm: ResidentIndex, kept: Kept, key: str, before: _Outline) -> list[str]:
    """Lines about definitions that an edit added, removed or changed, and about who used those."""
    now = _on_disk(warm, key)
    if now is None:
        return []
    _remember(warm, key, now)
    parts = []
    if gone := [name for name in before if name not in now]:
        parts.append(f"no longer defines {', '.join(gone)}")
    if new := [f"{name} {found[0].line}" for name, found in now.items() if name not in before]:
        parts.append(f"newly defines {', '.join(new)}")
    both = [name for name in now if name in before]
    if changed := [name for name in both if _signatures(now[name]) != _signatures(before[name])]:
        parts.append(f"has another signature for {', '.join(changed)}")
    if not parts:
        return []
    found = _dependents(kept, key) if gone or changed else None
    touched = {*gone, *changed}
    said = [f"before: {_usage(used)}" for used in found.used if used.name in touched] if found is not None else []
    return [f"everdex: {plain_path(key)} {'; '.join(parts)}", *said]


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
    if is_said(key) and language_of(key) not in GRAMMARS:
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
        data = stream.read(PARSED_BYTES + 1)
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    if len(data) > PARSED_BYTES or language_in(key, data) not in GRAMMARS:
        return None
    symbols = parse_file(key, data, warm.index.config.index).symbols
    return _by_name(Defined(s.qualified_name, s.kind, s.start_line, s.signature) for s in symbols)


def _defined(view: SnapshotView, name: str) -> list[str]:
    """Where a name that was searched for is defined."""
    rows = [row for row in view.symbols_named(name.rpartition(".")[2]) if f".{row.qualified_name}".endswith(f".{name}")]
    places = [f"{plain_path(row.path_key)}:{row.start_line} ({row.kind})" for row in rows[:_MAX_PLACES]]
    more = f" and {len(rows) - len(places)} more" if len(rows) > len(places) else ""
    return [f"everdex: {name} is defined at {', '.join(places)}{more}"] if places and NAME.fullmatch(name) else []


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
        if NAME.fullmatch(defined.name):
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


def plain_path(key: str) -> str:
    """A path as an agent may be told it."""
    usual = key.isprintable() and "`" not in key and len(key) <= _MAX_PATH
    return key if usual else "a file with an unusual name"


def _fitted(lines: Sequence[str], limit: int) -> str:
    """Whole lines while they fit, the last one cut at a comma; what is missing is said."""
    text = "\n".join(lines)
    if len(text) <= limit:
        return text
    ending = " … (cut; `everdex symbols FILE`, `everdex impact NAME`)"
    if limit <= len(ending):
        return ""
    head = text[: limit - len(ending)]
    return head[: max(head.rfind(", "), head.rfind("\n"), 0)] + ending
