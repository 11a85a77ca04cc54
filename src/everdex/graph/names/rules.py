"""What the resolver knows of each language, as data: how names are looked for, what constructs, what is built in.

Languages of one group call each other: Java, Kotlin and Scala; C and C++. No code that depends on a world is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from everdex.graph.names import words

TYPES: Final = frozenset((
    "class", "interface", "struct", "enum", "trait", "object", "type", "impl", "extension", "record",
))  # fmt: skip
CALLABLES: Final = frozenset(("function", "method", "constructor", "macro", "lambda"))
METHODS: Final = frozenset(("method", "function"))  # in a module of Ruby or a table of Lua both are what a class has
SPACES: Final = frozenset(("namespace", "module"))
VALUES: Final = frozenset(("field", "variable", "constant", "property", "variant"))
ABSTRACT: Final = frozenset(("interface", "trait"))

_set: Final = words.words


@dataclass(frozen=True, slots=True)
class Rules:
    """One language."""

    group: str
    self_names: frozenset[str] = frozenset(("this",))
    super_names: frozenset[str] = frozenset(("super",))
    implicit_members: bool = True  # a bare name may be a member of a type around it
    closed_types: bool = False  # the variables around a type are not visible inside it
    outer_spaces: bool = False  # names of the namespaces around a namespace are visible inside it
    constructors: tuple[str, ...] = ()  # members that construct, besides those of kind 'constructor'
    own_constructors: tuple[str, ...] = ()  # the same, but nobody inherits them
    primary: bool = False  # a type may have parameters of its own, by which it is constructed
    stated: bool = True  # types are, so that what a library hands out is known to be its own
    overloads: bool = True  # of several definitions of one name the arguments tell which is meant
    call_constructs: bool = False  # `Type(…)` without a word for it
    apart: bool = False  # a field may have the name of a method, and only a call means the method
    properties: bool = False  # what is read like a field may be replaced in a type below
    bare_calls: bool = False  # a name without parentheses may be a call
    global_calls: bool = False  # what is defined nowhere in the root is a library's or the system's
    capital_types: bool = True  # types begin with a capital letter, and little else does
    wrappers: frozenset[str] = frozenset()  # types that stand for their first argument
    builtins: frozenset[str] = frozenset()
    literal: str = "builtin"  # what values of literals belong to
    common: frozenset[str] = words.COMMON


RULES: Final[dict[str, Rules]] = {
    "go": Rules(
        "go", frozenset(), frozenset(), implicit_members=False, closed_types=True, capital_types=False,
        builtins=words.GO_BUILTINS
    ),
    "java": Rules("jvm", apart=True, builtins=words.JAVA_BUILTINS, wrappers=_set("Optional")),
    "kotlin": Rules(
        "jvm", own_constructors=("constructor",), primary=True, call_constructs=True, apart=True,
        properties=True, builtins=words.KOTLIN_BUILTINS,
        wrappers=_set("Lazy"),
    ),
    "scala": Rules(
        "jvm", outer_spaces=True, own_constructors=("this",), primary=True, call_constructs=True, bare_calls=True,
        properties=True, builtins=words.SCALA_BUILTINS
    ),
    "rust": Rules(
        "rust", _set("self Self"), frozenset(), implicit_members=False, closed_types=True, capital_types=False,
        call_constructs=True, apart=True,
        wrappers=_set("Box Rc Arc Option Result RefCell Cell Mutex RwLock Ref RefMut MutexGuard Cow Pin Weak Lazy "
                      "OnceCell ManuallyDrop"),
        builtins=words.RUST_BUILTINS
    ),
    "c": Rules(
        "c", frozenset(), frozenset(), implicit_members=False, global_calls=True, capital_types=False,
        builtins=words.C_BUILTINS
    ),
    "cpp": Rules(
        "c", super_names=frozenset(), outer_spaces=True, call_constructs=True, global_calls=True, capital_types=False,
        wrappers=_set("unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic"),
        builtins=words.CPP_BUILTINS,
    ),
    "csharp": Rules(
        "csharp", super_names=_set("base"), outer_spaces=True, primary=True, properties=True,
        builtins=words.CSHARP_BUILTINS,
        wrappers=_set("Task ValueTask Lazy Nullable")
    ),
    "ruby": Rules(
        "ruby", _set("self"), closed_types=True, outer_spaces=True, constructors=("initialize",), overloads=False,
        bare_calls=True, stated=False,
        builtins=words.RUBY_BUILTINS
    ),
    "php": Rules(
        "php", _set("this self static"), _set("parent"), implicit_members=False, closed_types=True,
        constructors=("__construct",), apart=True, overloads=False, global_calls=True, stated=False,
        builtins=words.PHP_BUILTINS
    ),
    "swift": Rules(
        "swift", _set("self Self"), constructors=("init",), call_constructs=True, properties=True,
        builtins=words.SWIFT_BUILTINS,
        wrappers=_set("Optional EventLoopFuture Unmanaged")
    ),
    "lua": Rules(
        "lua", _set("self"), frozenset(), implicit_members=False, overloads=False, capital_types=False,
        stated=False, builtins=words.LUA_BUILTINS
    ),
    "bash": Rules(
        "bash", frozenset(), frozenset(), implicit_members=False, global_calls=True, capital_types=False,
        builtins=words.BASH_BUILTINS
    ),
}
RULES["cuda"] = RULES["cpp"]
