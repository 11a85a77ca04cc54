"""A made-up language in `.txt` files, resolved through the public protocol: small enough to know every answer.

    module NAME            what others import it by (default: the file's stem)
    import MODULE          its definitions may be called by name
    def NAME(SIGNATURE)    a definition; what follows belongs to it
    class NAME(BASE)       the same
    call NAME              in the innermost definition
    broken                 a syntax error

A call is resolved in its own file, then through imports and what they import in turn; a name that only others define
is ambiguous; `lib.x` is external; anything else is unresolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import xxhash

from everdex.graph.model import Dependency, FileGraph, Kept, Node, Outlined, Role, Since, Site, Status, Target, World


class Parsed:
    def __init__(self, path: str, source: bytes) -> None:
        stem = path.rpartition("/")[2].removesuffix(".txt")
        self.module, self.imports, self.broken = stem, [], False
        self.definitions: list[tuple[str, str, str, int]] = []  # name, kind, inside the brackets, line
        self.calls: list[tuple[str, int, int, int]] = []  # name, line, column, definition (-1: the file)
        for number, raw in enumerate(source.decode().splitlines(), start=1):
            word, _, rest = raw.strip().partition(" ")
            if word == "module":
                self.module = rest
            elif word == "import":
                self.imports.append((rest, number))
            elif word in ("def", "class"):
                name, _, inner = rest.partition("(")
                kind = "class" if word == "class" else "function"
                self.definitions.append((name, kind, inner.rstrip(")"), number))
            elif word == "call":
                self.calls.append((rest, number, raw.index("call") + 5, len(self.definitions) - 1))
            elif word == "broken":
                self.broken = True


LANGUAGES = frozenset({"text"})


class Resolver:
    languages = LANGUAGES

    def begin(self) -> Resolver:
        return self

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        if b"crash" in source:
            raise RecursionError("told to")
        parsed = Parsed(path, source)
        imports = xxhash.xxh64_intdigest("\n".join(name for name, _ in parsed.imports).encode())
        names = {f"name:{name}": 1 for name, *_ in parsed.definitions}
        inside = {
            f"def:{path}:{name}": xxhash.xxh64_intdigest(f"{kind}{inner}".encode())
            for name, kind, inner, _ in parsed.definitions
        }
        return {f"module:{parsed.module}": 1, f"imports:{path}": imports, **names, **inside}

    def unseen(self, path: str, before: bytes, after: bytes, change: Callable[[str], int]) -> tuple[str, ...]:
        return ()

    def open(self, world: World, since: Since | None = None) -> Resolution:
        return Resolution(world)

    def rest(self) -> None:
        pass


class Resolution:
    def __init__(self, world: World) -> None:
        self._world = world
        self._parsed = lru_cache(maxsize=None)(lambda path: Parsed(path, world.source(path)))

    def resolve(
        self, path: str, kept: Kept | None = None, writing: Callable[[bytes], bool] | None = None
    ) -> FileGraph:
        source = self._world.source(path)
        if b"crash" in source:
            raise RecursionError("told to")
        parsed: Parsed = self._parsed(path)
        reads: set[str] = set()
        lines = source.count(b"\n") + 1
        nodes = [Node("", parsed.module, parsed.module, "module", -1, 0, len(source), 1, lines, 1, 0, "", True)]
        seen: dict[str, int] = {}
        starts = [*(line for *_, line in parsed.definitions), lines + 1]
        offsets = [0]
        for line in source.splitlines(keepends=True):
            offsets.append(offsets[-1] + len(line))
        for (name, kind, inner, line), after in zip(parsed.definitions, starts[1:], strict=False):
            seen[name] = seen.get(name, 0) + 1
            key = name if seen[name] == 1 else f"{name}~{seen[name]}"
            end = min(after - 1, len(offsets) - 1)
            nodes.append(
                Node(key, f"{parsed.module}.{name}", name, kind, 0, offsets[line - 1], offsets[end], line, end, line, 4,
                     f"{name}({inner})", not name.startswith("_"))
            )
        sites = [
            Site(Role.CALL, at + 1, line, column, line, column + len(name), name, *self._call(path, name, reads))
            for name, line, column, at in parsed.calls
        ]
        for place, (_, kind, inner, line) in enumerate(parsed.definitions):
            if kind == "class" and inner:
                found = self._call(path, inner, reads)
                sites.append(Site(Role.INHERIT, place + 1, line, 6, line, 6 + len(inner), inner, *found))
        sites.sort(key=lambda site: (site.line, site.column))
        dependencies = []
        for name, line in parsed.imports:
            reads.add(f"module:{name}")
            found = self._world.offering(f"module:{name}")
            target = Target(found[0], "") if found else Target("", name)
            dependencies.append(Dependency(target, line, ()))
        public = sorted(f"{kind} {name} {inner}" for name, kind, inner, _ in parsed.definitions if name[0] != "_")
        interface = xxhash.xxh64_hexdigest("\n".join(public).encode())
        return FileGraph(tuple(nodes), tuple(sites), tuple(dependencies), frozenset(reads), interface, parsed.broken)

    def outline(self, path: str) -> Outlined:
        found = self.resolve(path)
        return Outlined(found.nodes, found.partial)

    def _call(self, path: str, name: str, reads: set[str]) -> tuple[Status, tuple[Target, ...], str]:
        if name.startswith("lib."):
            return Status.EXTERNAL, (Target("", name),), ""
        todo, done = [path], set()
        while todo:
            here = todo.pop(0)
            if here in done:
                continue
            done.add(here)
            reads |= {f"def:{here}:{name}", f"imports:{here}"}
            parsed: Parsed = self._parsed(here)
            if any(name == defined for defined, *_ in parsed.definitions):
                return Status.RESOLVED, (Target(here, name),), ""
            for module, _ in parsed.imports:
                reads.add(f"module:{module}")
                todo += self._world.offering(f"module:{module}")[:1]
        reads.add(f"name:{name}")
        found = self._world.offering(f"name:{name}")
        if found:
            return Status.AMBIGUOUS, tuple(Target(other, name) for other in found), "only the name fits"
        return Status.UNRESOLVED, (), "nothing is called so"


_RESOLVER = Resolver()


def load() -> Resolver:
    return _RESOLVER
