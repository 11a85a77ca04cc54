"""Pass 4a, continued: the calls that may be of a function, by its own name in files that offer such calls.

Who asks for a parameter gets those calls that may pass something for it (`slots`). In its own file calls through
variables count, too; of a constructor also those of the classes below, those by which a class makes another of itself
(`handing`), and members of an enumeration (`members`); of `__init_subclass__` class statements (`metaclasses`); of a
method also those under a computed name (`dispatching`). Where many files have such calls, only the function's own is
looked at, and the answer says so. Of `__call__` also those by the names that objects of its class are given. When there
are none, those count that the function was passed to (`forwarded`). It does not find callers that got it from another
file in other ways.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.calls import dispatching, forwarded, handing, reaching, registered
from everdex.graph.python.calls.call_sites import sites_of
from everdex.graph.python.calls.forwarded import MAX_INDIRECT
from everdex.graph.python.classes import classes, members, metaclasses
from everdex.graph.python.engine.contexts import Context
from everdex.graph.python.engine.engine import CALLERS_STEP, LOOKUP_STEP, NAME_STEP, WORTH_GIVEN, Engine
from everdex.graph.python.engine.values import CLASS, FUNCTION, Value, ordered
from everdex.graph.python.file import slots
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import (
    BARE_KEY,
    BASE_KEY,
    CALL_KEY,
    DECORATE_KEY,
    DECORATED_KEY,
    KEPT_KEY,
    calls_key,
    indirect_key,
    passed_key,
    used_key,
)
from everdex.graph.python.file.slots import FEW, MAX_CALL_SITES

MAX_PLACES: Final = 2 * MAX_INDIRECT
FEW_CALLERS_STEP: Final = NAME_STEP  # out to few callers: hardly more to look through than for a name
LEAST: Final = FEW_CALLERS_STEP + NAME_STEP  # with less even few callers could not be asked for a name
MAX_DECORATED: Final = 6
MAX_DECORATIONS: Final = 80  # more may be more values than are told apart, and then nothing is certain
MAX_ALIASES: Final = 4
MAX_NAMING: Final = 4  # files that name a class as a value: through whose variables it may be called
_CONSTRUCTORS: Final = frozenset(("__init__", "__new__", "__post_init__"))


def contexts(engine: Engine, path: str, scope: int, index: int, fuel: int) -> tuple[Context, ...]:
    """The calls of a function that can be found from its name and may pass something for a parameter."""
    wanted = _slots(engine, path, scope, index)

    def answer(fuel: int) -> tuple[Context, ...]:
        if not engine.can_spend(fuel, LEAST):
            return ()
        asking, places, _, is_spared = _called(engine, path, scope, wanted, fuel)
        left = fuel - asking
        if places and not engine.can_spend(left, NAME_STEP):  # not enough for a name: they would say little, at length
            return ()
        found: dict[Context, None] = {}
        handed = handing.to_constructor(engine, path, scope, left) if places else ()
        is_named = False  # apart from that: who inherits a constructor may be made through a variable
        for other, number in places:
            for call in reaching.contexts_of(engine, engine.file(other), number, path, scope, left):
                is_named = is_named or (other, number) not in handed
                found[call] = None
        for other, number in dispatching.sites(engine, path, scope, left):
            found[reaching.context_at(engine.file(other), number, engine.file(path), scope, True)] = None
        owner = engine.file(path).class_of(scope)
        if owner >= 0 and engine.file(path).scopes[scope].name == "__init_subclass__":
            found.update(dict.fromkeys(metaclasses.statements(engine, path, scope, left)))
        if owner >= 0 and engine.file(path).scopes[scope].name in _CONSTRUCTORS:
            found.update(dict.fromkeys(members.constructions(engine, (CLASS, path, owner), path, scope, left)))
        if handed and found and not is_named:
            for other, number in _through_values(engine, path, scope, left):
                made = reaching.contexts_of(engine, engine.file(other), number, path, scope, left)
                found.update(dict.fromkeys(made))
        if not found and not is_spared and engine.file(path).scopes[scope].params:
            for other, number in dispatching.sites_elsewhere(engine, path, scope, left):
                found[reaching.context_at(engine.file(other), number, engine.file(path), scope, True)] = None
            told: set[tuple[str, int]] = set()
            if owner < 0 or engine.file(path).scopes[scope].name == "__init__":
                elsewhere = [each[:2] for each in forwarded.taken_elsewhere(engine, path, scope, left)]
                for site in (*elsewhere, *_through_values(engine, path, scope, left)):
                    made = reaching.contexts_of(engine, engine.file(site[0]), site[1], path, scope, left)
                    found.update(dict.fromkeys(made))
                    told.update([site] if made else ())
            for other, number, is_bound in forwarded.sites(engine, path, scope, left):
                if (other, number) not in told:
                    found[reaching.context_at(engine.file(other), number, engine.file(path), scope, is_bound)] = None
        return tuple(found)

    result: tuple[Context, ...] = engine.ask_within(("callers", path, scope, wanted), fuel, answer, (), WORTH_GIVEN)
    return result


def _through_values(engine: Engine, path: str, scope: int, fuel: int) -> list[tuple[str, int]]:
    """The calls through variables and items in the few files that name another's function, or a class that has a
    constructor, as a value, or whose decorators and bases get such a class: they may keep it."""
    file = engine.file(path)
    files: dict[str, None] = {}
    for kind in forwarded.having(engine, path, scope, fuel):
        if kind[0] == FUNCTION:
            named = [other for other in _naming(engine, kind) if other != path] if not file.scopes[scope].parent else []
        else:
            named = [*_naming(engine, kind), *_keeping(engine, kind, fuel)]
        several = {**files, **dict.fromkeys(named)}
        files = several if len(several) <= MAX_NAMING else files
    found: list[tuple[str, int]] = []
    for other in files:
        there = engine.file(other)
        engine.note(there, indirect_key(other))
        if len(there.indirect_calls) <= MAX_CALL_SITES:
            found.extend((other, each) for each in there.indirect_calls)
    engine.seen.extend([engine.file(other).seen_at(number) for other, number in found])
    return found


def _naming(engine: Engine, value: Value) -> tuple[str, ...]:
    return engine.offering_few(used_key(engine.file(value[1]).scopes[value[2]].name)) or ()


def _keeping(engine: Engine, kind: Value, fuel: int) -> list[str]:
    """The files of what is given a class where it stands: of its decorators, and of `__init_subclass__` above it."""
    _, path, scope = kind
    file = engine.file(path)
    engine.seen.append(file.seen_head(scope))
    found: list[str] = []
    for each in file.scopes[scope].decorators:
        given = engine.values(path, file.entries[each][1], 0, fuel - NAME_STEP)
        found.extend(value[1] for value in ordered(given) if value[0] == FUNCTION)
    above = classes.mro(engine, path, scope, fuel)[1:]
    told = classes.raw_attribute(engine, above, "__init_subclass__", fuel)[1]
    if told is not None:
        found.append(told[1])
    return [path, *found] if found else []


class Calling(NamedTuple):
    """The calls that may be of a function, by its name and by what its file passes on."""

    step: int  # what asking them costs
    places: tuple[tuple[str, int], ...]
    is_cut: bool  # there are more
    is_spared: bool = False  # something is called so, and never with what is asked for


def are_more(engine: Engine, path: str, scope: int, index: int, fuel: int) -> bool:
    """Whether there are more calls in other files that may pass something for a parameter."""
    wanted = _slots(engine, path, scope, index)
    return engine.can_spend(fuel, LEAST) and _called(engine, path, scope, wanted, fuel).is_cut


def _slots(engine: Engine, path: str, scope: int, index: int) -> tuple[str, ...]:
    file = engine.file(path)
    engine.seen.extend(file.seen_parameters(scope))
    return slots.filling(file.scopes[scope], index, file.class_of(scope) >= 0)


def _called(engine: Engine, path: str, scope: int, wanted: tuple[str, ...], fuel: int) -> Calling:
    none = Calling(CALLERS_STEP, (), False)
    found: Calling = engine.ask(
        ("calling", path, scope, wanted), fuel, lambda fuel: _calling(engine, path, scope, wanted, fuel), none
    )
    return found


def _calling(engine: Engine, path: str, scope: int, wanted: tuple[str, ...], fuel: int) -> Calling:
    file = engine.file(path)
    own = file.scopes[scope]
    names, others = _called_as(engine, file, scope, fuel)
    sites, is_cut = sites_of(engine, names, others, path, wanted)
    owner = file.class_of(scope)
    if owner >= 0 and own.name in _CONSTRUCTORS:
        sites.extend(_by_attributes(engine, [*names, *others], path, wanted))
        above = handing.up(engine, (CLASS, path, owner), own.name, fuel)
        for handed in (above, handing.by_own(engine, (CLASS, path, owner), fuel)):
            sites.extend(handed if len(handed) <= MAX_CALL_SITES else [site for site in handed if site[0] == path])
    elif is_cut and own.params:
        sites += _decorating(engine, names)
    elif owner >= 0 and len(sites) > 1:
        sites = [site for site in sites if _may_mean(engine, (CLASS, path, owner), own.name, site, fuel)]
    engine.note(file, passed_key(path, own.name))
    aliases = file.aliases.get(scope if own.kind == m.LAMBDA_SCOPE else own.name, ())
    aliases = list(dict.fromkeys((*aliases, *_named_elsewhere(engine, file, scope))))
    if aliases:
        renamed, _ = sites_of(engine, [], aliases[:MAX_ALIASES], path)
        sites.extend(renamed)
    if owner >= 0:
        prepared = [each for each in file.given_attributes.get(own.name, ()) if each in file.prepared]
        sites.extend((path, each) for each in prepared)
        sites.extend(_made_by(engine, file, prepared))
    if own.kind == m.LAMBDA_SCOPE or own.name in file.passed or own.name == "__call__":
        engine.note(file, indirect_key(path))
        indirect = file.indirect_calls
        if len(indirect) <= MAX_INDIRECT:
            sites.extend((path, each) for each in indirect)
        given = sorted({*file.given.get(scope, ()), *file.given.get(own.name, ())})
        sites.extend((path, each) for each in given)
        sites.extend(_made_by(engine, file, given))
    if own.kind == m.FUNCTION_SCOPE and file.scopes[file.owner(own.parent)].kind == m.FUNCTION_SCOPE:
        sites.extend(_taken_again(engine, _decorated_as(engine, file, file.owner(own.parent))))
    places = tuple(dict.fromkeys(sites[:MAX_PLACES]))
    engine.seen.extend([engine.file(other).seen_at(number) for other, number in places])
    is_spared = bool(wanted) and not places and not own.decorators
    is_spared = is_spared and any(engine.is_offered(key + name) for key in (CALL_KEY, BARE_KEY) for name in names)
    return Calling(step(len(sites)), places, is_cut or len(sites) > MAX_PLACES, is_spared)


def _named_elsewhere(engine: Engine, file: File, scope: int) -> list[str]:
    """The names that modules give what may be a function or method, `register = registry.register_kind`, and those that
    others give it by these: a package imports it under a name, its users under another."""
    own = file.scopes[scope]
    is_reached = own.kind == m.FUNCTION_SCOPE and file.scopes[own.parent].kind in (m.MODULE_SCOPE, m.CLASS_SCOPE)
    if not is_reached or own.name.startswith("__"):
        return []
    given = _given_names(engine, own.name)
    again = [other for name in given[:MAX_ALIASES] for other in _given_names(engine, name)]
    return list(dict.fromkeys((*given, *again)))


def _by_attributes(
    engine: Engine, names: list[str], path: str, wanted: tuple[str, ...]
) -> list[tuple[str, int]]:
    """The calls by attributes under which classes have one of these: `self.kind(self)`."""
    kept = [each[0] for name in names for each in keeping(engine, name)]
    return sites_of(engine, [], list(dict.fromkeys(kept))[:MAX_ALIASES], path, wanted)[0] if kept else []


def keeping(engine: Engine, name: str) -> list[tuple[str, Value]]:
    """The attributes under which classes have something of a name, and these classes."""
    files = engine.offering_few(KEPT_KEY + name) or ()
    return [(each, (CLASS, path, scope)) for path in files for each, scope in engine.file(path).kept.get(name, ())]


def _given_names(engine: Engine, name: str) -> list[str]:
    files = engine.offering_few(BASE_KEY + name) or ()
    return [other for each in files for other in engine.file(each).renamed.get(name, ())]


def _made_by(engine: Engine, file: File, given: list[int]) -> list[tuple[str, int]]:
    """The calls of what functions give back that return one of these: `return partial(f, x)`."""
    returned = [file.scopes[file.where[each]] for each in given]
    makers = [around.name for each, around in zip(given, returned, strict=True) if each in around.returns]
    return sites_of(engine, [], [f"{name}()" for name in dict.fromkeys(makers)][:MAX_ALIASES], file.path)[0]


def _taken_again(engine: Engine, decorated: list[tuple[str, str]]) -> list[tuple[str, int]]:
    """The calls through variables in files that use what they decorate as a value."""
    found: list[tuple[str, int]] = []
    for path, name in decorated:
        file = engine.file(path)
        engine.note(file, passed_key(path, name))
        if name in file.passed:
            engine.note(file, indirect_key(path))
            if len(file.indirect_calls) <= MAX_INDIRECT:
                found.extend((path, each) for each in file.indirect_calls)
    return list(dict.fromkeys(found))


def _may_mean(engine: Engine, owner: Value, name: str, site: tuple[str, int], fuel: int) -> bool:
    """Whether a call by a method's name may be of it: not one that a class makes on itself which has or stores what is
    called so and never is of one line with the method's class."""
    path, number = site
    file = engine.file(path)
    engine.seen.append(file.seen_at(number))  # also of one that is left out
    callee = file.entries[file.entries[number][1]]
    around = file.receiver_class(callee[1]) if callee[0] == m.ATTRIBUTE else -1
    own = (CLASS, path, around)
    if around < 0 or own == owner:
        return True
    engine.look_up(path, around, name)
    if name not in file.self_stores.get(around, ()) and not file.names[around].get(name):
        return True
    if own in classes.mro(engine, owner[1], owner[2], fuel) or owner in classes.mro(engine, path, around, fuel):
        return True
    below = classes.subclasses(engine, path, around, fuel - LOOKUP_STEP)
    return below is None or any(owner in classes.mro(engine, each[1], each[2], fuel) for each in below)


def _decorating(engine: Engine, names: list[str]) -> list[tuple[str, int]]:
    """What decorators of these names are put on, where they are called too often to look at every call: a decorator is
    given what stands below it."""
    found: list[tuple[str, int]] = []
    for name in names:
        if engine.are_more_places(DECORATED_KEY + name, MAX_DECORATIONS):
            return []  # one more place is no news then
        for other in engine.offering(DECORATE_KEY + name):
            found.extend((other, each) for each in engine.file(other).decorations.get(name, ()))
    return found if len(found) <= MAX_DECORATIONS else []


def step(count: int) -> int:
    """Out to so many callers: the fewer, the less there is to look through."""
    return FEW_CALLERS_STEP if count <= FEW else CALLERS_STEP


def _called_as(engine: Engine, file: File, scope: int, fuel: int) -> tuple[list[str], list[str]]:
    """The names of its own file by which a function may be called, and others."""
    own = file.scopes[scope]
    if own.kind == m.LAMBDA_SCOPE:
        around = file.scopes[file.owner(own.parent)]
        if around.kind != m.FUNCTION_SCOPE:
            return [], []
        return _results(engine, file, around.name), _given_by(engine, file, file.owner(own.parent))
    owner = file.class_of(scope)
    if owner >= 0 and own.name == "__call__":
        return [f"{file.scopes[owner].name}()"], _kept_as(engine, file, owner, fuel)
    if owner < 0 or own.name not in _CONSTRUCTORS:
        around = file.scopes[file.owner(own.parent)]
        if around.kind != m.FUNCTION_SCOPE:
            return [own.name], registered.names(engine, file, scope)
        made = _results(engine, file, around.name)
        maker = file.owner(own.parent)
        decorated = [name for _, name in _decorated_as(engine, file, maker)]
        given = _given_by(engine, file, maker)
        return [own.name, *made], list(dict.fromkeys((*decorated, *given, *_called_objects(engine, file, maker))))
    below = classes.subclasses(engine, file.path, owner, fuel - LOOKUP_STEP) or ()
    return [file.scopes[owner].name], [engine.file(each[1]).scopes[each[2]].name for each in below[:8]]


def _kept_as(engine: Engine, file: File, owner: int, fuel: int) -> list[str]:
    """The names that instances of a class and of those below it are given where they are made, or by who called what
    made them: an object is handed on under the name it has."""
    below = classes.subclasses(engine, file.path, owner, fuel - LOOKUP_STEP) or ()
    others = [engine.file(each[1]).scopes[each[2]].name for each in below[:MAX_ALIASES]]
    found: dict[str, None] = {}
    makers = [file.scopes[owner].name, *others]
    for number, maker in enumerate(makers):
        sites, is_cut = sites_of(engine, [maker], [], file.path)
        for path, call in sites if not is_cut else ():
            there = engine.file(path)
            engine.seen.append(there.seen_at(call))
            found.update(dict.fromkeys(there.call_names.get(call, ())))
            around = there.scopes[there.owner(there.where[call])]
            if number <= len(others) and around.kind == m.FUNCTION_SCOPE and _is_returned(there, around, call):
                makers.append(around.name)
    return list(found)[:MAX_ALIASES]


def _is_returned(file: File, function: m.Scope, call: int) -> bool:
    """Whether a function returns what a call in it gives, perhaps by a name."""
    for each in function.returns:
        entry = file.entries[each]
        values = [file.bindings[number][2] for number in entry[2]] if entry[0] == m.NAME else [each]
        if call in values:
            return True
    return False


def _called_objects(engine: Engine, file: File, scope: int) -> list[str]:
    """The names that what objects of a class give is given, where they are called as soon as they are made."""
    owner = file.class_of(scope)
    if owner < 0 or file.scopes[scope].name != "__call__":
        return []
    found: dict[str, None] = {}
    for path, number in sites_of(engine, [f"{file.scopes[owner].name}()"], [], file.path)[0]:
        engine.seen.append(engine.file(path).seen_at(number))
        found.update(dict.fromkeys(engine.file(path).call_names.get(number, ())))
    return list(found)[:MAX_ALIASES]


def _results(engine: Engine, file: File, name: str) -> list[str]:
    """By which calls one has what a function returns: its own, and those of functions of its file that return that."""
    engine.note(file, calls_key(file.path, name))
    found = {f"{name}()": None}
    for number in file.calls_by_name.get(name, ()):
        engine.seen.append(file.seen_at(number))
        around = file.scopes[file.where[number]]
        if around.kind == m.FUNCTION_SCOPE and number in around.returns:
            found[f"{around.name}()"] = None
    return list(found)[: 1 + MAX_ALIASES]


def _given_by(engine: Engine, file: File, scope: int) -> list[str]:
    """By which calls one has what a function gives that stands in a decorator: those of what this decorates."""
    maker = file.owner(file.scopes[scope].parent)
    if file.scopes[maker].kind != m.FUNCTION_SCOPE:
        return []
    return [f"{name}()" for _, name in _decorated_as(engine, file, maker)]


def _decorated_as(engine: Engine, file: File, scope: int) -> list[tuple[str, str]]:
    """Files and names of what a function, or one that returns it, decorates: what it returns is called so."""
    around = file.scopes[file.owner(file.scopes[scope].parent)]
    is_object = around.kind == m.CLASS_SCOPE and file.scopes[scope].name == "__call__"
    names = [file.scopes[scope].name, *([f"{around.name}()"] if around.kind == m.FUNCTION_SCOPE or is_object else ())]
    found: dict[tuple[str, str], None] = {}
    for path, number in sites_of(engine, names, [], file.path)[0]:
        other = engine.file(path)
        engine.seen.append(other.seen_at(number))
        entry = other.entries[number]
        while entry[0] == m.DECORATED:
            entry = other.entries[entry[2]]
        if entry[0] == m.DEFINITION:
            name = other.scopes[entry[1]].name
            if not name.startswith("__"):
                found[path, name] = None
    return list(found)[:MAX_DECORATED]
