"""Pass 4b, continued: what argparse puts into the arguments that it parses, by `set_defaults(name=value)`.

Parsers are not told apart: the file that reads the arguments is asked first, and when it sets nothing of that name, the
few files of the root that do. It does not know what `add_argument` makes of texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import FUNCTION, NOTHING, Value, Values, union
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import CALL_KEY, default_key

ARGUMENTS: Final = "argparse.ArgumentParser.parse_args"
MAX_FILES: Final = 8  # in more files than this arguments of one name are set for more than one program
MAX_SET: Final = 48


def attribute(engine: Engine, wanted: str, fuel: int, importer: str) -> Values:
    """What parsed arguments may have under a name because somebody has set it."""
    found = [(path, value) for path, name, value in _set(engine) if name == wanted]
    near = [each for each in found if each[0] == importer] or found
    if len(near) > MAX_SET:
        return NOTHING
    return union(engine.values(path, value, 0, fuel - LOOKUP_STEP) for path, value in near)


def sites(engine: Engine, file: File, scope: int, fuel: int) -> list[tuple[str, int]]:
    """The calls of a function that parsed arguments have."""
    own = file.scopes[scope]
    name = "" if own.kind == m.LAMBDA_SCOPE else own.name
    found: list[tuple[str, int]] = []
    for path in engine.offering_few(default_key(name), MAX_FILES) or ():
        there = engine.file(path)
        for keyword, value in there.defaults[name]:
            engine.seen.append(there.seen_at(value))
            if name or (path == file.path and there.entries[value] == (m.DEFINITION, scope)):
                found += _calls(engine, keyword, (FUNCTION, file.path, scope), fuel)
    return found


def _calls(engine: Engine, keyword: str, function: Value, fuel: int) -> Iterator[tuple[str, int]]:
    """The calls of what parsed arguments have under a name, where that may be this function."""
    for path in engine.calling(keyword) or ():
        file = engine.file(path)
        for number in engine.calls_in(path, keyword):
            engine.seen.append(file.seen_at(number))
            callee = file.entries[number][1]
            if file.entries[callee][0] != m.ATTRIBUTE:
                continue
            if any(each[:3] == function for each in engine.values(path, callee, 0, fuel - LOOKUP_STEP)):
                yield path, number


def _set(engine: Engine) -> list[tuple[str, str, int]]:
    """(path, name, value) of what is set anywhere."""
    return engine.once(("parsed arguments",), lambda: list(_looked_for(engine)))


def _looked_for(engine: Engine) -> Iterator[tuple[str, str, int]]:
    files = engine.offering_few(CALL_KEY + "set_defaults") or ()
    for path in files if len(files) <= MAX_FILES else ():
        file = engine.file(path)
        engine.calls_in(path, "set_defaults")  # of which the defaults are told
        for defaults in file.defaults.values():
            for name, value in defaults:
                engine.seen.append(file.seen_at(value))
                yield path, name, value
