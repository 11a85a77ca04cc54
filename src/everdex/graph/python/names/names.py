"""Pass 2: from a name to the values of its bindings: local, closure, global, star-imported, builtin.

Bindings of the own scope were narrowed to those that reach the place when the file was read; an enclosing scope's are
all that its inner functions may see when they run. It does not follow exec, globals() or del across functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.flow import MAX_REACHING
from everdex.graph.python.calls import guards, rounds
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LITERAL,
    MANY,
    MODULE,
    NAMESPACE,
    NOTHING,
    TEXT,
    UNKNOWN,
    Value,
    Values,
    is_open,
    union,
    unknown,
)
from everdex.graph.python.file.around import binding_scope, look_around
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import exported_key, replaced_key
from everdex.graph.python.names import modules
from everdex.graph.python.names.standard import BUILTIN_NAMES
from everdex.languages import role_of

MAX_PASSED: Final = 16  # modules that only pass a name on and cost nothing; every further so many cost a step
MAX_REPLACING: Final = 8  # a module that more files change is changed for tests, each in its own way
_NAMED: Final = {"__name__": modules.name_of, "__package__": modules.package_of}
MAX_STARRED: Final = 64  # modules that are looked at for a name that stars may take


def name(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    if len(entry) > 3:
        return _denied(engine, file, entry, expression, context, fuel)
    return _bound(engine, file, entry, expression, context, fuel)


def _denied(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """A name that stands where isinstance() has said no: none of the instances of these classes."""
    value, is_near, _ = file.leads(expression)
    if value < 0:
        values = _bound(engine, file, entry, expression, context, fuel)
    else:
        values = engine.values(file.path, value, context, fuel if is_near else fuel - NAME_STEP)
    if not any(each[0] == INSTANCE for each in values):
        return values
    kinds = union(_kind(engine, file, each, context, fuel) for each in entry[3])
    if not kinds:
        return values
    left = frozenset(each for each in values if not _is_one_of(engine, each, kinds, fuel))
    return left or unknown("no such instance is passed")


def _kind(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    """The class that an expression means; nothing where it may be another."""
    values = engine.values(file.path, expression, context, fuel)
    return values if len(values) == 1 and all(each[0] == CLASS and not is_open(each) for each in values) else NOTHING


def _is_one_of(engine: Engine, value: Value, kinds: Values, fuel: int) -> bool:
    return value[0] == INSTANCE and not kinds.isdisjoint(classes.mro(engine, value[1], value[2], fuel))


def _bound(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    reaching = entry[2]
    if reaching and file.from_inside:
        others = file.from_inside.get((file.where[expression], entry[1]))
        if others:
            reaching = [*reaching, *others]
    if reaching:
        if context and 1 < len(reaching) < MAX_REACHING:
            reaching = guards.bound(engine, file, reaching, context, fuel) or reaching
        if file.in_rounds:
            return _after_rounds(engine, file, reaching, expression, context, fuel)
        return engine.bound(file, reaching, context, fuel)
    return by_name(engine, file, file.where[expression], entry[1], context, fuel)


def _after_rounds(
    engine: Engine, file: File, reaching: Sequence[int], expression: int, context: int, fuel: int
) -> Values:
    """What a name with these bindings is; of one that a loop before it makes in rounds what the last has made."""
    for each in reaching:
        _, _, call, flag = file.bindings[each]
        made = rounds.made(engine, file, each, context, fuel) if flag == m.IN_ROUNDS and call < expression else None
        if made is not None:
            rest = [other for other in reaching if other != each and other not in rounds.before(file, each)]
            return union((made, engine.bound(file, rest, context, fuel))) if rest else made
    return engine.bound(file, reaching, context, fuel)


def _born(file: File, scope: int, home: int) -> int:
    """How many bindings a file had when the function was defined that stands in a scope and around another; none for
    the scope itself, where a name is read that no binding reaches."""
    if scope == home:
        return 0
    while file.scopes[scope].parent != home:
        scope = file.scopes[scope].parent
    return file.scopes[scope].born


def by_name(
    engine: Engine, file: File, scope: int, wanted: str, context: int, fuel: int, *, later: bool = False
) -> Values:
    """A name that no binding of its own scope reaches; with `later` one that is looked up when all are made."""
    home, found = binding_scope(file, scope, wanted, later=later)
    look_around(engine, file, scope, home, wanted)
    if found:
        engine.seen.append(file.seen_member(home, wanted) if file.is_by_name(home) else file.seen_scope(home))
        around = engine.contexts.around(context, file.path, home) if home else 0
        if around and 1 < len(found) < MAX_REACHING:
            found = list(guards.bound(engine, file, found, around, fuel, _born(file, scope, home))) or found
        values = engine.bound(file, found, around, fuel)
        if not home and scope:
            values = union((values, replaced(engine, file.path, wanted, fuel)))
        is_later = later or scope > 0 or wanted not in BUILTIN_NAMES  # else a function may not have bound it yet
        return values if is_later else values | {(EXTERNAL, f"builtins.{wanted}")}
    engine.seen.append(file.seen_name(wanted))
    engine.seen.append(file.seen_stars)
    if file.facts.stars:
        imported = _from_stars(engine, file, wanted, fuel)
        if imported:
            return imported
    special = _special(engine, file, scope, wanted)
    if not special and wanted in BUILTIN_NAMES:
        return frozenset(((EXTERNAL, f"builtins.{wanted}"),))
    return special or unknown("undefined name")


def _special(engine: Engine, file: File, scope: int, wanted: str) -> Values:
    if wanted == "__class__":
        while scope > 0:
            owner = file.class_of(scope)
            if owner >= 0:
                return frozenset(((CLASS, file.path, owner),))
            scope = file.scopes[scope].parent
    if wanted in _NAMED:
        return called(engine, file.path, wanted)
    return TEXT if wanted in ("__file__", "__doc__", "__qualname__") else NOTHING


def called(engine: Engine, path: str, wanted: str) -> Values:
    """What a module has as its own name, or its package's."""
    name = _NAMED[wanted](engine, path)
    return frozenset(((LITERAL, "str", name),)) if name else TEXT


def _from_stars(engine: Engine, file: File, wanted: str, fuel: int) -> Values:
    found: list[Values] = []
    for _, level, module in file.facts.stars:
        target = source_of(engine, file.path, level, module)
        if target[0] != MODULE:
            continue
        other = engine.file(target[1])
        if not _gives(engine, other, wanted):
            continue
        values = attribute_of(engine, target, wanted, fuel - LOOKUP_STEP, file.path)
        if values:
            found.append(values)
    return union(found[-1:])


def _gives(engine: Engine, file: File, wanted: str) -> bool:
    """Whether a module lets a star take a name, if it has it."""
    engine.seen.append(file.seen_stars)
    if file.facts.exported is None:
        return not wanted.startswith("_")
    engine.note(file, exported_key(file.path, wanted))
    return wanted in file.facts.exported


def source_of(engine: Engine, importer: str, level: int, module: str) -> Value:
    return modules.relative(engine, importer, level, module) if level else modules.find(engine, module, importer)


def imported(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return frozenset((modules.find(engine, entry[1], file.path),))


def from_import(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    _, level, module, wanted = entry
    source = source_of(engine, file.path, level, module)
    if source[0] == EXTERNAL:
        return frozenset(((EXTERNAL, f"{source[1]}.{wanted}"),))
    if source == (MODULE, file.path):  # `from . import part` in a package: the name it binds is no answer to itself
        inner = modules.submodule(engine, source, wanted, file.path)
        if inner is not None:
            return frozenset((inner,))
    found = attribute_of(engine, source, wanted, fuel, file.path)
    return found or unknown("missing import")


def attribute_of(engine: Engine, source: Value, wanted: str, fuel: int, importer: str) -> Values:
    """What a module gives under a name; nothing when it has none."""
    if source[0] == MODULE:
        source, wanted = landing(engine, source[1], wanted)
    found: Values = engine.ask(
        ("module attribute", source, wanted, importer if source[0] == NAMESPACE else ""),
        fuel,
        lambda fuel: _attribute_of(engine, source, wanted, fuel, importer),
        NOTHING,
    )
    return found


def landing(engine: Engine, path: str, wanted: str) -> tuple[Value, str]:
    """The module in which a name is defined that this one may only pass on, and its name there."""
    return engine.once(("landing", path, wanted), lambda: _landing(engine, path, wanted))


def _landing(engine: Engine, path: str, wanted: str) -> tuple[Value, str]:
    seen = {(path, wanted)}
    while True:
        here: tuple[Value, str] = ((MODULE, path), wanted)
        file = engine.look_for(path, wanted)
        bindings = file.final(0, wanted)
        if len(bindings) == 1:
            entry = file.entries[file.bindings[bindings[0]][2]]
            if entry[0] != m.FROM:
                return here
            source, name = source_of(engine, path, entry[1], entry[2]), entry[3]
        else:
            engine.seen.append(file.seen_stores(wanted))
            engine.seen.append(file.seen_stars)
            if bindings or wanted in file.other_stores:
                return here
            if modules.submodule(engine, (MODULE, path), wanted, path) is not None:
                return here
            stars = [source_of(engine, path, level, module) for _, level, module in file.facts.stars]
            passing = [each for each in stars if each[0] == MODULE and _exports(engine, each[1], wanted, path)]
            if not passing:
                return here
            source, name = passing[-1], wanted
        if source[0] != MODULE or (source[1], name) in seen or len(seen) > MAX_PASSED:
            return here
        path, wanted = source[1], name
        seen.add((path, wanted))


def _exports(engine: Engine, path: str, wanted: str, asker: str) -> bool:
    """Whether a star takes this name from a module that has not taken it from the asker, as far as can be told by
    looking at `MAX_STARRED`."""
    return engine.once(("exports", path, wanted, asker), lambda: _is_exported(engine, path, wanted, asker))


def _is_exported(engine: Engine, path: str, wanted: str, asker: str) -> bool:
    seen = {asker}
    waiting = [path]
    while waiting and len(seen) < MAX_STARRED:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        file = engine.look_for(path, wanted)
        if not _gives(engine, file, wanted):
            continue
        if file.names[0].get(wanted):
            if _is_given_back(engine, file, wanted, asker):
                continue
            return True
        if modules.submodule(engine, (MODULE, path), wanted, path) is not None:
            return True
        stars = [source_of(engine, path, level, module) for _, level, module in file.facts.stars]
        waiting += [each[1] for each in stars if each[0] == MODULE]
    return False


def _is_given_back(engine: Engine, file: File, wanted: str, asker: str) -> bool:
    """Whether a module has a name from the one that asks for it: a package's parts import each other through it."""
    name = wanted
    for _ in range(MAX_PASSED):
        bindings = file.final(0, name)
        entry = file.entries[file.bindings[bindings[0]][2]] if len(bindings) == 1 else (m.UNKNOWN,)
        if entry[0] != m.FROM:
            return False
        source, name = source_of(engine, file.path, entry[1], entry[2]), entry[3]
        if source[0] != MODULE or source[1] == asker:
            return bool(source[0] == MODULE and name == wanted)
        file = engine.look_for(source[1], name)
    return False


def _attribute_of(engine: Engine, source: Value, wanted: str, fuel: int, importer: str) -> Values:
    if source[0] == NAMESPACE:
        inner = modules.submodule(engine, source, wanted, importer)
        return frozenset((inner,)) if inner is not None else NOTHING
    path = source[1]
    if wanted in _NAMED:
        return called(engine, path, wanted)
    file = engine.look_for(path, wanted)
    engine.seen.append(file.seen_stores(wanted))
    bindings = file.final(0, wanted)
    passes_on = any(file.entries[file.bindings[each][2]][0] == m.FROM for each in bindings)
    parts = [engine.bound(file, bindings, 0, fuel - NAME_STEP if passes_on else fuel)]  # or circles would cost nothing
    for base, value in file.other_stores.get(wanted, ())[:8]:
        engine.seen.append(file.seen_at(base))
        if file.entries[base][0] == m.NAME and source in engine.values(path, base, 0, fuel - LOOKUP_STEP):
            parts.append(engine.values(path, value, 0, fuel - NAME_STEP))
    found = union(parts)
    if found:
        return found
    inner = modules.submodule(engine, source, wanted, importer)
    if inner is not None:
        return frozenset((inner,))
    engine.seen.append(file.seen_stars)
    if file.facts.stars:
        return _from_stars(engine, file, wanted, fuel - LOOKUP_STEP)
    if engine.look_for(path, "__getattr__").names[0].get("__getattr__"):
        return _computed(engine, file, wanted, fuel)
    return NOTHING


def replaced(engine: Engine, path: str, wanted: str, fuel: int) -> Values:
    """What other files, but for tests, put in the place of a name of a module: `clock.now = frozen`."""
    parts: list[Values] = []
    module = _last_name(path)
    for other in engine.offering_few(replaced_key(module), MAX_REPLACING) or ():
        if other != path and role_of(other) != "test":
            for name, base, value in engine.file(other).replacements.get(module, ()):
                if name == wanted and (MODULE, path) in engine.values(other, base, 0, fuel - LOOKUP_STEP):
                    parts.append(engine.values(other, value, 0, fuel - NAME_STEP))
    return union(parts)


@lru_cache(maxsize=4096)
def _last_name(path: str) -> str:
    return modules.dotted_of(path).rpartition(".")[2]


def hook(engine: Engine, source: Value, wanted: str, fuel: int) -> Values:
    """The function that a module is asked through for a name that it does not have; who asks has read the name."""
    if source[0] != MODULE or wanted.startswith("__"):
        return NOTHING
    file = engine.file(source[1])
    if wanted in file.names[0] or wanted in file.other_stores or file.facts.stars:
        return NOTHING
    if modules.submodule(engine, source, wanted, source[1]) is not None:
        return NOTHING
    bindings = engine.look_for(source[1], "__getattr__").final(0, "__getattr__")
    return engine.bound(file, bindings, 0, fuel) if bindings else NOTHING


def _computed(engine: Engine, file: File, wanted: str, fuel: int) -> Values:
    """What a module's own __getattr__ makes of a name."""
    from everdex.graph.python.calls import calls

    name = Argument("", -1, 0, frozenset(((LITERAL, "str", wanted),)))
    made = [
        calls.result(engine, each, (name,), (), fuel - CALL_STEP)
        for number in file.final(0, "__getattr__")
        for each in engine.values(file.path, file.bindings[number][2], 0, fuel - NAME_STEP)
        if each[0] == FUNCTION and not wanted.startswith("__")
    ]
    known = frozenset(value for value in union(made) if value[0] not in _SAYS_NOTHING)
    return known or unknown("module __getattr__")


_SAYS_NOTHING = frozenset((UNKNOWN, MANY, BUILTIN))
