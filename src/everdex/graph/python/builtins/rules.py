"""What is known of builtins and libraries, as data: what they return, which functions they call back, what they pass
through unchanged.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.names import standard

TYPES: Final = frozenset(
    ("str", "int", "float", "bool", "bytes", "bytearray", "complex", "object", "memoryview", "range", "slice")
)

# Builtins whose result is an instance of a builtin type.
RESULTS: Final = {
    "len": "int",
    "repr": "str",
    "ascii": "str",
    "hash": "int",
    "id": "int",
    "abs": "int",
    "round": "int",
    "ord": "int",
    "chr": "str",
    "bin": "str",
    "hex": "str",
    "oct": "str",
    "format": "str",
    "input": "str",
    "isinstance": "bool",
    "issubclass": "bool",
    "callable": "bool",
    "hasattr": "bool",
    "any": "bool",
    "all": "bool",
    "print": "NoneType",
    "setattr": "NoneType",
    "delattr": "NoneType",
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "bytes": "bytes",
    "bytearray": "bytearray",
    "complex": "complex",
    "range": "range",
    "object": "object",
}

# Builtins that call a method of their first argument.
CALLS_DUNDER: Final = {
    "len": ("__len__",),
    "int": ("__int__", "__index__"),
    "float": ("__float__",),
    "bool": ("__bool__", "__len__"),
    "bytes": ("__bytes__",),
    "hash": ("__hash__",),
    "iter": ("__iter__",),
    "next": ("__next__",),
    "abs": ("__abs__",),
    "reversed": ("__reversed__",),
    "round": ("__round__",),
    "dir": ("__dir__",),
    "aiter": ("__aiter__",),
    "anext": ("__anext__",),
    "divmod": ("__divmod__",),
    "complex": ("__complex__",),
}

# Those of them that give back what the method does, whatever that is.
MADE_BY_DUNDER: Final = {"abs": "__abs__", "round": "__round__", "divmod": "__divmod__"}

# Builtins that ask the class of a class, their second argument.
CHECKS: Final = {"isinstance": "__instancecheck__", "issubclass": "__subclasscheck__"}

# Callables from outside that iterate what they are given: from which argument on, and before which.
ITERATES: Final[dict[str, tuple[int, int | None]]] = {
    **{
        f"builtins.{name}": (0, 1)
        for name in (
            "list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "any", "all", "enumerate", "iter",
            "reversed",
        )
    },
    **dict.fromkeys(("builtins.zip", "itertools.chain", "itertools.product", "itertools.zip_longest"), (0, None)),
    **dict.fromkeys(("builtins.map", "itertools.starmap"), (1, None)),
    **dict.fromkeys(
        ("builtins.filter", "itertools.filterfalse", "itertools.takewhile", "itertools.dropwhile", "functools.reduce"),
        (1, 2),
    ),
    **dict.fromkeys(
        ("itertools.islice", "itertools.accumulate", "itertools.groupby", "itertools.cycle", "collections.deque",
         "collections.Counter"),
        (0, 1),
    ),
}  # fmt: skip

# Builtins and methods of theirs that ask for a length before they iterate.
MEASURES: Final = frozenset(("list", "tuple", "sorted", "extend", "join"))

# Methods of builtin types that iterate their first argument.
ITERATING_METHODS: Final = frozenset(("extend", "extendleft", "join", "union", "intersection", "difference"))

# Classes from outside whose instances hold what is put into them, by how they are filled.
FROM_KEYS: Final = frozenset(("builtins.dict.fromkeys", "collections.OrderedDict.fromkeys"))
MAPPING_TYPES: Final = FROM_KEYS | {
    "builtins.dict", "collections.OrderedDict", "collections.defaultdict", "weakref.WeakValueDictionary",
}  # fmt: skip
CONTAINERS: Final = MAPPING_TYPES | frozenset(
    (
        "builtins.list",
        "builtins.set",
        "collections.deque",
        "queue.Queue",
        "queue.LifoQueue",
        "queue.PriorityQueue",
        "queue.SimpleQueue",
        "asyncio.Queue",
        "weakref.WeakSet",
        "contextvars.ContextVar",
    )
)
# What classes inherit from to hold items themselves, and the methods that give these.
INHERITED_MAPPINGS: Final = MAPPING_TYPES | {"collections.UserDict"}
INHERITED_CONTAINERS: Final = CONTAINERS | INHERITED_MAPPINGS | {"collections.UserList"}
WRITTEN_MAPPINGS: Final = frozenset((  # in Python: `dict` asks one for its keys, and for each of these
    "collections.UserDict", "collections.ChainMap",
    *(f"{module}.{name}" for module in ("collections.abc", "typing") for name in ("Mapping", "MutableMapping")),
))  # fmt: skip
GIVING_METHODS: Final = frozenset((
    "get", "pop", "setdefault", "popleft", "popitem", "values", "items", "keys", "__getitem__",
))  # fmt: skip
CONTAINER_NAMES: Final = frozenset(name.rpartition(".")[2] for name in CONTAINERS)

# Methods of mappings that give an item.
ITEM_METHODS: Final = frozenset(("get", "setdefault"))

# Callables from outside that call what they are given: position or keyword of the function; what it is called with.
CALLS_ARGUMENT: Final[dict[str, tuple[tuple[int | str, str], ...]]] = {
    "builtins.map": ((0, "elements"),),
    "builtins.filter": ((0, "elements"),),
    "builtins.sorted": (("key", "first elements"),),
    "builtins.min": (("key", "first elements"),),
    "builtins.max": (("key", "first elements"),),
    "functools.reduce": ((0, "pairs"),),
    "itertools.groupby": ((1, "first elements"), ("key", "first elements")),
    "itertools.filterfalse": ((0, "elements"),),
    "itertools.takewhile": ((0, "elements"),),
    "itertools.dropwhile": ((0, "elements"),),
    "itertools.starmap": ((0, ""),),
    "itertools.accumulate": ((1, "pairs"),),
    "builtins.iter": ((0, ""),),
    "builtins.list.sort": (("key", "receiver elements"),),
    "functools.cmp_to_key": ((0, ""),),
    "re.sub": ((1, ""),),
    "re.subn": ((1, ""),),
    "re.compile.sub": ((0, ""),),
    "re.compile.subn": ((0, ""),),
    "re.Pattern.sub": ((0, ""),),
    "typing.Pattern.sub": ((0, ""),),
}

# Callables from outside that compare what they are given, unless they have a key: its place, whether that is a
# container of what is compared, and how.
COMPARES: Final = {
    "builtins.sorted": (0, True, "<"),
    "builtins.min": (0, True, "<"),
    "builtins.max": (0, True, ">"),
    "heapq.heappush": (1, False, "<"),
    "heapq.heapify": (0, True, "<"),
    "heapq.heappop": (0, True, "<"),
    "heapq.nsmallest": (1, True, "<"),
    "heapq.nlargest": (1, True, "<"),
    "bisect.insort": (1, False, "<"),
    "bisect.insort_left": (1, False, "<"),
    "bisect.insort_right": (1, False, "<"),
}
# What declares a field of a record, and its keyword for what makes the field's value when nothing is passed.
FIELDS: Final = {
    "dataclasses.field": "default_factory",
    "attr.ib": "factory",
    "attr.attrib": "factory",
    "attr.field": "factory",
    "attrs.field": "factory",
}
FACTORIES: Final = frozenset(FIELDS.values())
# Functions by name that put their second argument into their first, and such as take one out of it.
PUTS: Final = frozenset(("heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"))
TAKES: Final = frozenset(("heapq.heappop", "heapq.heappushpop", "heapq.heapreplace"))
# Classes from outside whose instances have the attributes that they are made with.
NAMESPACES: Final = frozenset(("types.SimpleNamespace", "argparse.Namespace"))
# Context managers from outside that are entered to get what they were made with.
GIVES_BACK: Final = frozenset(("contextlib.closing", "contextlib.aclosing", "contextlib.nullcontext"))

# What waits for an exception, by its last name, and the attribute that has it then.
EXPECTS: Final = {"raises": "value", "assertRaises": "exception", "assertRaisesRegex": "exception"}

# What gives back the function or class it takes, as a decorator or as a call with it as first argument.
IDENTITY: Final = frozenset(
    (
        "functools.lru_cache",
        "functools.cache",
        "functools.total_ordering",
        "functools.singledispatch",
        "functools.singledispatchmethod",
        "functools.wraps",
        "functools.update_wrapper",
        "abc.abstractmethod",
        "typing.overload",
        "typing.final",
        "typing.override",
        "typing.no_type_check",
        "typing.NamedTuple._replace",
        "typing.runtime_checkable",
        "typing_extensions.overload",
        "typing_extensions.final",
        "typing_extensions.override",
        "typing_extensions.runtime_checkable",
        "typing_extensions.deprecated",
        "warnings.deprecated",
        "dataclasses.dataclass",
        "attr.s",
        "attr.attrs",
        "attr.define",
        "attr.frozen",
        "attr.dataclass",
        "attrs.define",
        "attrs.frozen",
        "attrs.mutable",
        "enum.unique",
        "atexit.register",
        "types.coroutine",
        "asyncio.coroutine",
        "pytest.fixture",
        "pytest.yield_fixture",
        "pytest_asyncio.fixture",
        "unittest.skip",
        "unittest.skipIf",
        "unittest.skipUnless",
        "unittest.expectedFailure",
        "hypothesis.given",
        "hypothesis.settings",
        "reprlib.recursive_repr",
        "unittest.mock.patch",
        "mock.patch",
        "unittest.mock.patch.object",
        "unittest.mock.patch.dict",
        "copy.copy",
        "copy.deepcopy",
        "copy.replace",
        "dataclasses.replace",
        "attr.evolve",
        "attrs.evolve",
        "inspect.unwrap",
        "weakref.proxy",
        "sys.intern",
        "ast.fix_missing_locations",
    )
)

PROPERTIES: Final = frozenset(
    (
        "builtins.property",
        "functools.cached_property",
        "abc.abstractproperty",
        "django.utils.functional.cached_property",
        "werkzeug.utils.cached_property",
        "types.DynamicClassAttribute",
        "enum.property",
    )
)
CONTEXT_MANAGERS: Final = frozenset(("contextlib.contextmanager", "contextlib.asynccontextmanager"))
FIXTURES: Final = frozenset(("pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture"))
PARAMETRIZE: Final = "pytest.mark.parametrize"

OPERATORS: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
UNARY: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
COMPARISONS: Final = {
    "<": ("__lt__", "__gt__"),
    ">": ("__gt__", "__lt__"),
    "<=": ("__le__", "__ge__"),
    ">=": ("__ge__", "__le__"),
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "in": ("", "__contains__"),
    "not in": ("", "__contains__"),
}

_BUILTINS: Final = ("str", "bytes", "list", "dict", "set", "tuple", "int", "float", "generator")
BUILTIN_TYPES: Final = frozenset((*_BUILTINS, "bytearray", "bool", "complex", "frozenset"))
# What a number is of besides; and the modules whose classes nobody is one of who does not name them.
NUMBERS: Final = frozenset(f"numbers.{name}" for name in ("Number", "Complex", "Real", "Rational", "Integral"))
NAMED_MODULES: Final = frozenset(("numbers", "decimal", "fractions", "datetime", "pathlib", "uuid", "enum", "re"))
# All that values of builtin types have, and views of mappings: what none of them has is not read of one.
BUILTIN_ATTRIBUTES: Final = standard.attributes(*_BUILTINS, "bytearray", "complex", "KeysView")

# What functions and methods have, and what a rule of ours gives them.
FUNCTION_ATTRIBUTES: Final = standard.attributes("function", "method") | {"setter", "getter", "deleter"}

# Methods of builtin types: too common to tell a project's class by them.
COMMON_METHODS: Final = frozenset(
    name for name in standard.attributes(*_BUILTINS) if not name.startswith("_")
) | frozenset(
    (
        "read",
        "write",
        "close",
        "open",
        "flush",
        "seek",
        "readline",
        "readlines",
        "run",
        "start",
        "stop",
        "save",
        "load",
        "put",
        "search",
        "group",
        "groups",
        "filter",
        "exists",
        "is_file",
        "is_dir",
        "mkdir",
        "debug",
        "info",
        "warning",
        "error",
        "exception",
        "critical",
        "log",
        "commit",
        "execute",
        "fetchone",
        "fetchall",
        "cursor",
        "acquire",
        "release",
        "submit",
        "result",
        "wait",
        "set",
        "is_set",
        "add_argument",
        "parse_args",
        "assert_called_once",
        "assertEqual",
        "now",
        "total_seconds",
        "isoformat",
        "strftime",
        "date",
        "time",
        "mean",
        "sum",
        "reshape",
        "astype",
        "all",
        "any",
    )
)
