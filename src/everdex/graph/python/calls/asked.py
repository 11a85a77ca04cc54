"""What a condition comes to of a value: whether that is one of some literals, true, callable, a class or an instance.

Three answers: it is, it is not, or nobody can tell from here.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import NAMED_MODULES, NUMBERS
from everdex.graph.python.classes import classes, protocols
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    KEYED,
    LITERAL,
    METHOD,
    MODULE,
    NONE,
    PARTIAL,
    TUPLE,
    Value,
    Values,
)
from everdex.graph.python.names import standard

_NEVER_NONE: Final = frozenset((
    FUNCTION, CLASS, INSTANCE, MODULE, EXTERNAL, PARTIAL, DISPLAY, GENERATOR, LITERAL, TUPLE, KEYED,
))  # fmt: skip
_NEVER_EQUAL: Final = frozenset((FUNCTION, CLASS, MODULE, PARTIAL, DISPLAY, GENERATOR))  # to a text or a number
_NEVER_FALSE: Final = frozenset((FUNCTION, CLASS, MODULE, PARTIAL, GENERATOR))
_CALLABLE: Final = frozenset((FUNCTION, CLASS, PARTIAL, METHOD))
_NOT_CALLABLE: Final = frozenset((LITERAL, DISPLAY, MODULE, GENERATOR, KEYED, TUPLE))
_PLAIN: Final = frozenset(("str", "bytes", "int", "float", "bool", "list", "tuple", "dict", "set"))
_OF_MANY: Final = frozenset(("object", "type"))  # what stands for values of whatever type
_NUMBERS: Final = frozenset(("int", "float", "bool"))
_NO_INSTANCE: Final = frozenset((FUNCTION, PARTIAL, MODULE, LITERAL, DISPLAY, GENERATOR, KEYED, TUPLE))  # of the root's


def is_callable(value: Value) -> bool | None:
    """Whether a value can be called; None when it is not known."""
    return True if value[0] in _CALLABLE else False if value == NONE or value[0] in _NOT_CALLABLE else None


def is_kind(engine: Engine, value: Value, wanted: int | None) -> bool | None:
    """Whether a value is a coroutine function, a generator function or a class; None when it is not known."""
    if value == NONE or value[0] in _NOT_CALLABLE:
        return False
    if value[0] == CLASS:
        return wanted is None
    if value[0] != FUNCTION:
        return None
    flags = engine.look_at(value[1], value[2]).scopes[value[2]].flags
    return wanted is not None and flags & (m.IS_ASYNC | m.IS_GENERATOR) == wanted


def is_instance(engine: Engine, value: Value, kinds: list[Value], fuel: int) -> bool | None:
    """Whether a value is an instance of one of some classes; None when it is not known."""
    answers = [_is_one(engine, value, kind, fuel) for kind in kinds]
    return True if True in answers else False if answers and None not in answers else None


def _is_one(engine: Engine, value: Value, kind: Value, fuel: int) -> bool | None:
    if kind[0] == CLASS:
        return _is_of_root(engine, value, kind, fuel)
    if kind[0] != EXTERNAL:
        return None
    own = plain_type(engine, value)
    if kind[1].partition(".")[0] in NAMED_MODULES:
        return _is_of_library(engine, value, own, kind[1], fuel)
    if not kind[1].startswith("builtins."):
        return None
    wanted = kind[1][9:]
    if wanted not in _PLAIN:
        return _is_of_type(engine, value, wanted, fuel) if standard.is_type(wanted) else None
    if own:
        is_either = value[0] == BUILTIN and _NUMBERS.issuperset((own, wanted))  # what gives one may give the other
        return None if is_either else own == wanted or (own, wanted) == ("bool", "int")
    if value[0] == INSTANCE:
        return None if _may_be_from_outside(engine, value, fuel) else False
    return False if value == NONE or value[0] in _NEVER_EQUAL else None


def _is_of_type(engine: Engine, value: Value, wanted: str, fuel: int) -> bool | None:
    """The same of a builtin type that is no plain one: `slice`, an exception."""
    if wanted in _OF_MANY:
        return None
    own = plain_type(engine, value) or (str(value[1]) if value[0] == BUILTIN and standard.is_type(value[1]) else "")
    if own and value != NONE:
        return None if own in _OF_MANY else standard.is_below(own, wanted)
    if value[0] == INSTANCE:
        return None if _may_be_from_outside(engine, value, fuel) else False
    return False if value == NONE or value[0] in _NEVER_EQUAL else None


def _is_of_library(engine: Engine, value: Value, own: str, dotted: str, fuel: int) -> bool | None:
    """The same of a class that only who inherits from it is one of, and numbers of what stands for numbers."""
    if own:
        is_number = own in _NUMBERS and dotted in NUMBERS
        return None if is_number and dotted == "numbers.Integral" and own == "float" else is_number
    if value[0] == INSTANCE:
        return None if _may_be_from_outside(engine, value, fuel) else False
    return False if value == NONE or value[0] in _NEVER_EQUAL else None


def plain_type(engine: Engine, value: Value) -> str:
    """The builtin type of a value whose type is certain; ''."""
    if value[0] in (LITERAL, BUILTIN):
        return str(value[1]) if value[1] in _PLAIN else ""
    if value[0] == DISPLAY:
        entry = engine.file(value[1]).entries[value[2]]
        return str(entry[1]) if entry[0] == m.SEQUENCE else "dict" if entry[0] == m.DICT else ""
    return ""


def type_of_all(engine: Engine, values: Values) -> str:
    """The builtin type of all of some values; '' where it is not certain, or they are of several."""
    types = {str(each[1]) if each[0] == BUILTIN else plain_type(engine, each) for each in values}
    (found,) = types if len(types) == 1 else ("",)
    return found if standard.is_type(found) and found not in _OF_MANY else ""


def _is_of_root(engine: Engine, value: Value, kind: Value, fuel: int) -> bool | None:
    """The same of a class of the root: what has it in its line is one, what stands in no such line is none."""
    if protocols.is_protocol(engine, kind[1], kind[2]):
        return None
    if value == NONE or value[0] in _NO_INSTANCE:
        return False
    if value[0] == BUILTIN:  # unless the class is a kind of text, or number, itself
        return None if not plain_type(engine, value) or _is_open_above(engine, kind, fuel) else False
    if value[0] != INSTANCE:
        return None
    line = classes.mro(engine, value[1], value[2], fuel)
    if kind[:3] in line:
        return True
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if value[3] else ()
    if below is None or not _is_whole(engine, line, fuel):
        return None
    is_below = any(kind[:3] in classes.mro(engine, each[1], each[2], fuel) for each in below)
    return None if is_below else False


def _may_be_from_outside(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether an instance may be one of a class that is not the root's: of its own, or of one below."""
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if value[3] else ()
    return below is None or any(_is_open_above(engine, each, fuel) for each in (value, *below))


def _is_open_above(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether a class has bases that are not the root's, or not known."""
    line = classes.mro(engine, value[1], value[2], fuel)
    return bool(classes.outside(line)) or not _is_whole(engine, line, fuel)


def _is_whole(engine: Engine, line: tuple[Value, ...], fuel: int) -> bool:
    """Whether all bases of a line's classes are known."""
    return all(
        each[0] != CLASS
        or len(classes.bases(engine, each[1], each[2], fuel)) == len(engine.file(each[1]).scopes[each[2]].bases)
        for each in line
    )


def is_literal(engine: Engine, value: Value, asked: list[Any], fuel: int) -> bool | None:
    """Whether a value is one of some literals, or false when there are none; None when it may be or not."""
    if not asked:
        return _is_false(engine, value, fuel)
    answers = [_is(value, entry) for entry in asked]
    return True if True in answers else None if None in answers else False


def _is_false(engine: Engine, value: Value, fuel: int) -> bool | None:
    if value[0] in _NEVER_FALSE:
        return False
    if value[0] == TUPLE:
        return not value[1]
    if value[0] == KEYED:  # what was passed may have been taken out since
        return None if value[1] else True
    if value[0] == INSTANCE and not value[3]:
        line = classes.mro(engine, value[1], value[2], fuel)
        is_said = any(classes.raw_attribute(engine, line, name, fuel)[1] for name in ("__bool__", "__len__"))
        return None if is_said or _is_open_above(engine, value, fuel) else False
    return True if value == NONE else not value[2] if value[0] == LITERAL else None


def _is(value: Value, entry: Any) -> bool | None:
    _, kind, text = entry
    if kind == "None":
        return True if value == NONE else False if value[0] in _NEVER_NONE or value[0] == BUILTIN else None
    if value == NONE or value[0] in _NEVER_EQUAL:
        return False
    if text is None or value[0] != LITERAL:
        return None
    return bool((value[1], value[2]) == (kind, text))
