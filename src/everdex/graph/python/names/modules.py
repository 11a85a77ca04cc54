"""Pass 1: from an import to a file.

A file can be imported by its dotted path from the root and from every directory above it that is not itself inside a
package: so `src/pkg/a.py` is `pkg.a`, and a script's neighbours are found beside it. Among several, the one nearest to
the importer wins. Directories without `__init__.py` are namespace packages. Scripts under other names import and are
imported by nobody. It does not follow sys.path changes, import hooks, or names computed at run time.
"""

from __future__ import annotations

from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import EXTERNAL, MODULE, NAMESPACE, Value
from everdex.graph.python.names import standard

MODULE_KEY = "py:module:"
MODULE_ENDS = (".py", ".pyi")
WITHIN_KEY = "py:within:"  # and the dotted name of a package, from any root: which files are in it
BENEATH_KEY = "py:beneath:"  # and a directory: that there are modules in it
PACKAGE_KEY = "py:package:"  # and a directory: that it says that it is a package
_SOURCE_ROOTS = ("", "src", "lib", "python")  # from where directories count as namespace packages
_PACKAGES = ("/__init__.py", "/__init__.pyi")
MAX_BEGINNING = 24  # modules that one computed name may mean


def dotted_of(path: str) -> str:
    """The dotted path from the root."""
    stem = path[:-4] if path.endswith(".pyi") else path[:-3] if path.endswith(".py") else path
    if stem.endswith("/__init__"):
        stem = stem[:-9]
    elif stem == "__init__":
        stem = ""
    return stem.replace("/", ".")


def _directory(path: str) -> str:
    return path.rpartition("/")[0]


def is_package(engine: Engine, directory: str) -> bool:
    """Whether a directory is a package; by its path, since modules of its name may be in any other."""
    return bool(directory) and engine.is_offered(PACKAGE_KEY + directory)


def name_of(engine: Engine, path: str) -> str:
    """What a module of a package calls itself; '' of one that is in none, which who runs it decides."""
    directory = _directory(path)
    if not is_package(engine, directory):
        return ""
    while is_package(engine, _directory(directory)):
        directory = _directory(directory)
    return dotted_of(path[len(_directory(directory)) :].lstrip("/"))


def package_of(engine: Engine, path: str) -> str:
    """The name of the package that a module is, or is in; '' of one that is in none."""
    name = name_of(engine, path)
    return name if path.endswith(_PACKAGES) else name.rpartition(".")[0]


def _root_of(path: str, dotted: str) -> str | None:
    """The directory from which the path is imported as `dotted`."""
    stem = dotted_of(path)
    if stem == dotted:
        return ""
    if not stem.endswith(f".{dotted}"):
        return None
    return stem[: -len(dotted) - 1].replace(".", "/") if "." not in _directory(path) else _plain_root(path, dotted)


def _plain_root(path: str, dotted: str) -> str | None:
    parts = path.split("/")
    if parts[-1] in ("__init__.py", "__init__.pyi"):
        parts = parts[:-1]
    count = dotted.count(".") + 1
    return "/".join(parts[:-count])


def find(engine: Engine, dotted: str, importer: str) -> Value:
    """The module a dotted name means when imported by this file."""
    home = _directory(importer)
    return engine.once(("module", dotted, home), lambda: _find(engine, dotted, home))


def _find(engine: Engine, dotted: str, home: str) -> Value:
    paths = engine.offering(MODULE_KEY + dotted)
    best: tuple[int, int, int, str] | None = None
    for path in paths:
        root = _root_of(path, dotted)
        if root is None or (root and is_package(engine, root)):
            continue
        if root and root != home and not home.startswith(f"{root}/") and dotted.partition(".")[0] in standard.MODULES:
            continue  # elsewhere in the tree, and the standard library has one of that name
        shared = len(_common(root, home))
        rank = (0 if root == home else 1, -shared, path.endswith(".pyi") + len(root), path)
        if best is None or rank < best:
            best = rank
    if best is not None:
        return (MODULE, best[3])
    if any(_is_beneath(engine, root, dotted) and not is_package(engine, root) for root in _SOURCE_ROOTS):
        return (NAMESPACE, dotted)
    return (EXTERNAL, dotted)


def _is_beneath(engine: Engine, directory: str, dotted: str) -> bool:
    """Whether there is a directory of modules under a dotted name from here."""
    inner = dotted.replace(".", "/")
    return engine.is_offered(BENEATH_KEY + (f"{directory}/{inner}" if directory else inner))


def fitting(engine: Engine, text: Value) -> list[Value]:
    """The modules of a package whose dotted names begin and end like this; none when they are many."""
    _, start, end = text
    package = start.rpartition(".")[0]
    paths = engine.offering(WITHIN_KEY + package) if package else ()
    if len(paths) > MAX_BEGINNING:
        return []
    count = (start + end).count(".") + 1
    found: list[Value] = []
    for path in paths:
        dotted = ".".join(dotted_of(path).split(".")[-count:])
        if len(dotted) >= len(start) + len(end) and dotted.startswith(start) and dotted.endswith(end):
            found.append((MODULE, path))
    return found


def _common(left: str, right: str) -> list[str]:
    shared = []
    for a, b in zip(left.split("/"), right.split("/"), strict=False):
        if a != b:
            break
        shared.append(a)
    return [part for part in shared if part]


def relative(engine: Engine, importer: str, level: int, module: str) -> Value:
    """The module that dots before a name mean."""
    directory = _directory(importer)
    for _ in range(level - 1):
        if not directory:
            return (EXTERNAL, "." * level + module)
        directory = _directory(directory)
    full = ".".join(part for part in (directory.replace("/", "."), module) if part)
    if not full:
        return (MODULE, "__init__.py") if "__init__.py" in engine.offering(MODULE_KEY) else (NAMESPACE, "")
    for path in engine.offering(MODULE_KEY + full):
        if dotted_of(path) == full:
            return (MODULE, path)
    if _is_beneath(engine, directory, module) if module else engine.is_offered(BENEATH_KEY + directory):
        return (NAMESPACE, full)
    return (EXTERNAL, "." * level + module)


def submodule(engine: Engine, value: Value, name: str, importer: str) -> Value | None:
    """The module inside a package, if there is one."""
    if value[0] == NAMESPACE:
        full = f"{value[1]}.{name}" if value[1] else name
        found = find(engine, full, importer)
        if found[0] == EXTERNAL:
            found = relative(engine, "x.py", 1, full)
        return None if found[0] == EXTERNAL else found
    path = value[1]
    if not path.endswith(_PACKAGES):
        return None
    full = f"{dotted_of(path)}.{name}"
    for candidate in engine.offering(MODULE_KEY + full):
        if dotted_of(candidate) == full:
            return (MODULE, candidate)
    return (NAMESPACE, full) if _is_beneath(engine, _directory(path), name) else None
