"""What the Python that runs this has of its own: builtins, their attributes, the modules of its library.

    python3.N tests/support/standard.py

adds to `graph/python/names/standard.json` what this Python has and the ones before it had not. It needs nothing but a
Python.
"""

from __future__ import annotations

import builtins
import collections
import json
import sys
from collections import abc
from pathlib import Path
from types import FunctionType, GeneratorType, MethodType
from typing import Any

DATA = Path(__file__).parents[2] / "src/everdex/graph/python/names/standard.json"
_NO_BUILTINS = (
    FunctionType, MethodType, GeneratorType,
    *(getattr(module, name) for module in (abc, collections) for name in module.__all__ if name != "namedtuple"),
)  # fmt: skip
_STORED = {  # by methods, in their objects
    "UserDict": ("data",), "UserList": ("data",), "UserString": ("data",), "ChainMap": ("maps",),
}  # fmt: skip


def known() -> dict[str, Any]:
    """The same shape as the file: words of one kind in one text, types with the line above each."""
    names = sorted(name for name in dir(builtins) if name != "_" and not name.startswith("__pybind11"))
    types = {name: getattr(builtins, name) for name in names if isinstance(getattr(builtins, name), type)}
    types.update((kind.__name__, kind) for kind in _NO_BUILTINS)
    types.pop("__loader__")  # the class that imported the builtins
    concrete = (str, bytes, int, float, bool, list, tuple, dict, set)
    abstract = [getattr(abc, name) for name in abc.__all__]
    abstract.sort(key=lambda each: (-len(each.__mro__), each.__name__))
    return {
        "pythons": ".".join(map(str, sys.version_info[:2])),
        "modules": " ".join(sorted(getattr(sys, "stdlib_module_names", ()))),
        "names": " ".join(names),
        "types": {
            name: [" ".join(each.__name__ for each in kind.__mro__[1:]), " ".join(sorted(_attributes(kind)))]
            for name, kind in types.items()
        },
        "abstract": {
            kind.__name__: " ".join(each.__name__ for each in abstract if issubclass(kind, each)) for kind in concrete
        },
    }


def _attributes(kind: type) -> set[str]:
    """Those of its own; what everything has is told of `object`."""
    above = set(dir(object)) if kind is not object else set()
    return {*dir(kind), *_STORED.get(kind.__name__, ())} - above


def joined(before: Any, now: Any) -> Any:
    """What either has, what was there first."""
    if isinstance(before, str):
        return " ".join(dict.fromkeys([*before.split(), *now.split()]))
    if isinstance(before, list):
        return list(map(joined, before, now))
    both = {key: joined(each, now[key]) for key, each in before.items() if key in now}
    return {**before, **now, **both}


if __name__ == "__main__":
    former = json.loads(DATA.read_text("utf-8")) if DATA.exists() else known()
    DATA.write_text(json.dumps(joined(former, known()), indent=1) + "\n", "utf-8")
