"""What the resolver hands around while it works: places where texts are read, and things that expressions are."""

from __future__ import annotations

from typing import Final, NamedTuple

from everdex.graph.names.index import Ref
from everdex.graph.names.module import Module

ITSELF, REFERRED, POINTED, DEEP, WRAPPED = "itself", "referred", "pointed", "deep", "wrapped"
SHOWN: Final = "shown"  # Rust: by a wrapper that `Deref` looks through, `Box<Grid>`
INSTANCE, TYPE, SPACE, CALLABLE, OUTSIDE, UNKNOWN = "instance", "type", "space", "callable", "outside", "unknown"


TYPE_PARAMETER: Final = "type parameter"  # as reason why nobody knows what something is


class Place(NamedTuple):
    """Where a text is read: names mean what they mean there."""

    module: Module
    scope: int
    line: int
    column: int


class Thing(NamedTuple):
    """What an expression is. `name` is a lookup name, an outside name, or the reason why nobody knows."""

    kind: str
    name: str
    refs: tuple[Ref, ...] = ()
    arguments: tuple[str, ...] = ()
    home: Place | None = None
    receiver: str = ""  # of a method: the type it was looked for in, which may be below the one that defines it
    given: bool = False  # by something outside, which may hand out what is ours
    values: tuple[Ref, ...] = ()  # the variables, constants or variants whose value it is
    held: str = ""  # C++, Rust: one of the words above: itself, by a reference or pointer, by one to such, by a wrapper


def unknown(reason: str) -> Thing:
    return Thing(UNKNOWN, reason)


# Calls that give back what they are called on, when its type has no such member: wrappers were already looked through.
OF_WRAPPERS: Final = frozenset((
    "unwrap", "expect", "clone", "as_ref", "as_mut", "borrow", "borrow_mut", "lock", "read", "write", "to_owned", "get",
    "await", "unwrap_or_default", "unwrap_or_else", "into", "iter", "iter_mut", "into_iter", "also", "apply", "orElse",
    "orElseThrow", "orElseGet", "ok_or", "ok_or_else", "map_err", "context", "tap", "freeze", "dup", "copied", "cloned",
    "ConfigureAwait", "Result", "Value", "value", "first", "last", "next", "pop", "shift", "getOrElse", "itself",
))  # fmt: skip
# Methods of containers that hand on the same items.
OF_ITEMS: Final = frozenset((
    "iter", "iter_mut", "into_iter", "drain", "values", "values_mut", "into_values", "rev", "skip", "take", "filter",
    "chain", "peekable", "by_ref", "inspect", "cloned", "copied", "skip_while", "take_while", "step_by", "enumerate",
    "stream", "parallelStream", "sorted", "distinct", "limit", "asSequence", "toList", "toMutableList", "toSet",
    "reversed", "sortedBy", "sortedWith", "sortedByDescending", "filterNot", "filterNotNull", "distinctBy", "drop",
    "dropLast", "takeWhile", "dropWhile", "withIndex", "Where", "OrderBy", "OrderByDescending", "ThenBy", "ToList",
    "ToArray", "AsEnumerable", "Distinct", "Skip", "Take", "Reverse", "Values", "lazy",
))  # fmt: skip
# Methods of containers and wrappers that hand what is in them to the function that they are given.
OF_FUNCTIONS: Final = frozenset((
    "map", "filter", "filter_map", "flat_map", "for_each", "any", "all", "find", "find_map", "position", "take_while",
    "skip_while", "map_while", "inspect", "is_some_and", "is_none_or", "is_ok_and", "and_then", "map_or_default",
    "retain", "retain_mut", "sort_by_key", "sort_unstable_by_key", "sort_by_cached_key", "max_by_key", "min_by_key",
    "partition", "forEach", "allMatch", "anyMatch", "noneMatch", "flatMap", "mapToInt", "mapToLong", "mapNotNull",
    "none", "count", "first", "firstOrNull", "last", "lastOrNull", "let", "also", "takeIf", "takeUnless", "filterNot",
    "associateBy", "groupBy", "sumOf", "sortedBy", "sortedByDescending", "maxByOrNull", "minByOrNull", "onEach",
    "compactMap", "contains", "allSatisfy", "ifPresent", "removeIf", "Select", "SelectMany", "Where", "Any", "All",
    "First", "FirstOrDefault", "Single", "SingleOrDefault", "Last", "LastOrDefault", "Count", "OrderBy",
    "OrderByDescending", "GroupBy", "ToDictionary", "Sum", "Max", "Min", "ForEach", "exists", "forall", "foreach",
    "collect", "withFilter", "dropWhile", "takeWhile",
))  # fmt: skip
# What `using System.Linq` gives everything that can be gone through.
OF_QUERIES: Final = frozenset((
    "Aggregate", "All", "Any", "Append", "AsEnumerable", "Average", "Cast", "Chunk", "Concat", "Contains", "Count",
    "DefaultIfEmpty", "Distinct", "DistinctBy", "ElementAt", "Except", "First", "FirstOrDefault", "GroupBy",
    "GroupJoin", "Intersect", "Join", "Last", "LastOrDefault", "Max", "MaxBy", "Min", "MinBy", "OfType", "OrderBy",
    "OrderByDescending", "Prepend", "Reverse", "Select", "SelectMany", "SequenceEqual", "Single", "SingleOrDefault",
    "Skip", "SkipLast", "SkipWhile", "Sum", "Take", "TakeLast", "TakeWhile", "ThenBy", "ToArray", "ToDictionary",
    "ToHashSet", "ToList", "ToLookup", "Union", "Where", "Zip",
))  # fmt: skip
# What some of .NET's own types have by now, so that an extension method of the name may be there for older ones only.
NET_TYPES: Final = frozenset((
    "Assembly", "Dictionary", "HttpContent", "IDictionary", "MemberInfo", "MethodInfo", "ParameterInfo",
    "PropertyInfo", "Queue", "Stack", "Stream", "StringBuilder", "Task", "TextReader", "TextWriter", "Type", "string",
    "String",
))  # fmt: skip
OF_NET: Final = frozenset((
    "Append", "AppendJoin", "Contains", "EndsWith", "EnsureCapacity", "GetAccessors", "GetConstructor",
    "GetConstructors", "GetCustomAttribute", "GetCustomAttributes", "GetEvent", "GetEvents", "GetField", "GetFields",
    "GetGenericArguments", "GetGetMethod", "GetInterface", "GetInterfaces", "GetMember", "GetMembers", "GetMethod",
    "GetMethods", "GetProperties", "GetProperty", "GetSetMethod", "GetTypeInfo", "GetValueOrDefault",
    "IsAssignableFrom", "IsDefined", "IsInstanceOfType", "IsSubclassOf", "ReadAsync", "Remove", "Replace", "Split",
    "StartsWith", "Trim", "TryAdd", "TryDequeue", "TryPeek", "TryPop", "WaitAsync", "WriteAsync",
))  # fmt: skip
# What containers of the language hand out: nobody knows whose it is.
OF_CONTAINERS: Final = frozenset((
    "at", "delete", "delete_at", "detect", "dig", "fetch", "find", "first", "inject", "last", "max", "max_by", "min",
    "min_by", "next", "pop", "reduce", "sample", "shift", "sum",
))  # fmt: skip
# Of Ruby: what gives whatever it is told to.
OF_ANYTHING: Final = frozenset((
    "__send__", "binding", "catch", "class_eval", "class_exec", "const_get", "context", "eval", "instance_eval",
    "instance_exec", "instance_variable_get", "it", "lambda", "method", "module_eval", "proc", "public_send", "send",
    "subject", "then", "yield_self",
))  # fmt: skip
# Of Ruby: what gives back the object that it is called on.
OF_ITSELF: Final = frozenset(("clone", "dup", "freeze", "itself", "tap"))
OF_EVERY_OBJECT: Final = frozenset((
    "toString", "equals", "hashCode", "getClass", "ToString", "Equals", "GetHashCode", "GetType",
))  # fmt: skip
OF_EVERY_ENUM: Final = frozenset(("values", "valueOf", "ordinal", "name", "compareTo", "entries"))
