"""What an answer about the graph could not take into account, in words: files with errors, code that is not in the
index, a name that nothing defines, a path that is not in the graph, files that were not waited for.

`queries` counts what may be missing from a list; this says what is not there at all, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from everdex import languages
from everdex.discover.model import SkipReason
from everdex.graph.definitions import naming, spelling
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Role, Status
from everdex.graph.stored.record import asked_key
from everdex.graph.text.written import can_be_looked_up, files_writing
from everdex.identity.symbols import plain_name
from everdex.nearby import not_indexed
from everdex.view import SnapshotView

if TYPE_CHECKING:
    from everdex.graph.answers.ways import Way

# Each with how many there are, one or several: files that may be data, and whole trees that are not entered.
_UNSEEN: Final = (
    ((SkipReason.TOO_LARGE, SkipReason.UNREADABLE),
     ("1 file is", "files are"), "too large for the index or unreadable"),
    ((SkipReason.PATH_CONTROL, SkipReason.PATH_NOT_UTF8, SkipReason.PATH_TOO_LONG),
     ("1 file has", "files have"), "a name that the index does not take"),
    ((SkipReason.SUBMODULE, SkipReason.NESTED_REPOSITORY),
     ("1 repository inside this one is", "repositories inside this one are"), "not entered"),
)  # fmt: skip


def of_files(
    atlas: Atlas, file: int | None = None, name: str = "", *, farther: bool = False, is_found: bool = True
) -> tuple[str, ...]:
    """Warnings about files whose syntax errors, or a bug of ours, may hide uses: the one `file`, or any.

    Of these only files that write `name` matter, since in a large tree some file always has errors; with `farther`
    (impact) all of them do. An answer given before the graph is finished counts them among the files it is from."""
    read = atlas.doubtful_files if file is None else (atlas.entry(file),)
    partial = [entry.path for entry in read if entry.partial and not entry.failed]
    failed = [entry.path for entry in read if entry.failed]
    said = []
    if partial and atlas.graph.waiting and file is None and is_found:
        have = "1 has" if len(partial) == 1 else f"{len(partial):,} have"
        said.append(f"of the files that were resolved {have} syntax errors; what they hide is not counted")
    elif partial:
        held = _with_word(atlas.view, partial, name)
        if held is None or farther:
            have = "1 file has" if len(partial) == 1 else f"{len(partial):,} files have"
            word = "" if held is None else f" ({f'{len(held):,}' if held else 'none'} with the word {name})"
            said.append(f"{have} syntax errors{word}; what they hide is not counted")
        elif held:
            have = "1 file" if len(held) == 1 else f"{len(held):,} files"
            which = f"has syntax errors: {held[0]}" if len(held) == 1 else f"have syntax errors, among them {held[0]}"
            said.append(f"{have} with the word {name} {which}; what they hide is not counted")
    if failed:
        said.append(f"{len(failed):,} could not be resolved (a bug in everdex), among them {failed[0]}")
    return tuple(said)


def of_left_out(atlas: Atlas, asked: Sequence[Definition] = (), *, nothing_found: bool) -> tuple[str, ...]:
    """Warnings about files of code that are not in the index and may use what was asked for.

    Of these only files that can name one of the definitions `asked` matter; without any, all of them do. What is not
    known to be code is mentioned only where nothing was found."""
    said = []
    left_out = atlas.left_out
    if left_out and asked:
        reaching = {each for item in asked for each in languages.naming_each_other(atlas.entry(item.file).language)}
        left_out = tuple(line for line in left_out if languages.language_of(line.path_key) in reaching)
    if left_out:
        first, count = left_out[0], len(left_out)
        if count == 1:
            said.append(f"{first.path_key} is not in the index ({first.skip}); what it uses is not counted")
        else:
            which = f"among them {first.path_key} ({first.skip})"
            said.append(f"{count:,} files of code are not in the index, {which}; what they use is not counted")
    for reasons, (one, several), why in _UNSEEN if nothing_found else ():
        count = sum(atlas.view.manifest.skipped.get(reason, 0) for reason in reasons)
        if count:
            what, they = (one, "it uses") if count == 1 else (f"{count:,} {several}", "they use")
            said.append(f"{what} {why} (`everdex files --skipped`); what {they} is not counted")
    return tuple(said)


def of_waiting(atlas: Atlas, ways: tuple[Way, ...], method: str) -> tuple[str, ...]:
    """That an answer was given before all files were resolved, where the missing ones cannot change it."""
    if not atlas.graph.waiting or ways:
        return ()
    resolved = len(atlas.graph.files) - len(atlas.graph.untouched)
    said = f"answered from {resolved:,} of {len(atlas.graph.files):,} files"
    if method == "callees":
        return (f"{said}, those that decide what it calls; the others are not resolved yet",)
    return (
        f"{said}, all that write it; the others are not resolved yet, and their calls of computed values not counted",
    )


def reservation(atlas: Atlas, ways: tuple[Way, ...]) -> dict[str, Any]:
    """What is open in an answer that was given before all files were resolved. It has no next page: what is resolved
    later may belong before it."""
    if not ways:
        return {"reservation": None}
    said = {
        "waiting": len(atlas.graph.untouched), "files": len(atlas.graph.files),
        "ways": [{"way": each.way, "text": each.text, "paths": list(each.paths)} for each in ways],
        "hint": "ask with `wait` (--wait) for the finished answer",
    }  # fmt: skip
    return {"reservation": said, "cursor": None}


def _with_word(view: SnapshotView, paths: list[str], name: str) -> list[str] | None:
    """The paths whose files write `name`; None when `name` is not a word that the index can look up."""
    if not can_be_looked_up(name):
        return None
    return list(files_writing(view, name, frozenset(paths)))


def of_name(atlas: Atlas, asked: str) -> tuple[str, ...]:
    """How many places ask for a name that nothing defines: the definition may have been renamed or removed."""
    name = spelling.dotted(asked.rpartition("::")[2]).rpartition(".")[2]
    if atlas.graph.waiting:
        return of_word(sum(1 for _ in files_writing(atlas.view, name, frozenset(atlas.graph.paths))), asked)
    count = atlas.graph.asked.total([asked_key(Status.UNRESOLVED, role, name) for role in Role])
    asking = "1 place asks" if count == 1 else f"{count:,} places ask"
    lead = "leads" if count == 1 else "lead"
    search = f"`everdex search --mode literal {name}` finds {'it' if count == 1 else 'them'}"
    return (f"{asking} for {name} and {lead} to no definition; {search}",) if count else ()


def of_word(count: int, asked: str) -> tuple[str, ...]:
    """How many files write a name that nothing defines; said while the graph cannot tell which places ask for it."""
    whole = spelling.dotted(asked.rpartition("::")[2])
    name = spelling.last_of(whole)
    write = "1 file writes" if count == 1 else f"{count:,} files write"
    none = f"none defines {whole if '.' in whole else 'it'}"  # what others have that is called so is not meant
    return (f"{write} {name} and {none}; `everdex search --mode literal {name}` finds it",) if count else ()


def of_heir(atlas: Atlas, found: Sequence[Definition], asked: str) -> tuple[str, ...]:
    """That the answer is about an inherited member: the class that was named has it from another."""
    name = naming.heir_of(atlas, found[0], asked) if len(found) == 1 else ""
    return (f"{name} is inherited; this is about {plain_name(found[0].node.key)}",) if name else ()


def of_module(found: Definition, method: str) -> tuple[str, ...]:
    """That references of a file are not those of its definitions: few places name a file itself."""
    if not found.is_file or method not in ("refs", "callers"):
        return ()
    path = found.path
    return (f"only what names {path} itself is listed; `everdex impact {path}` tells who uses what it defines",)


def of_path(view: SnapshotView, atlas: Atlas, asked: str) -> tuple[str, ...]:
    """Why a path that was named is not in the graph."""
    path = asked.partition("::")[0]
    place = spelling.PLACE.fullmatch(path)
    path = place[1] if place else path
    if atlas.graph.number(path) is not None:
        lines = len(view.source(path).splitlines())
        return (f"{path} has {lines:,} lines",) if place and not 0 < int(place[2]) <= lines else ()
    try:
        view.file_index(path)
    except KeyError:
        if "/" not in path and languages.language_of(path) is None:
            return ()
        return (not_indexed(path, view.paths),)
    return (f"{path} is in a language whose references are not resolved",)
