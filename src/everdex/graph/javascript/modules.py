"""Which file an import means: relative paths, tsconfig paths, packages of the workspace; anything else is outside.

Every place that was looked at is recorded as a key, found or not, so that a file which appears there later is seen.
"""

from __future__ import annotations

from itertools import dropwhile
from posixpath import dirname, join, normpath
from typing import Final

from everdex.graph.javascript.project import Project, match, relevant
from everdex.graph.model import World
from everdex.languages import role_of

PROJECT_KEY: Final = "js:project"
# what declares comes after what it declares
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")
_SCRIPTS: Final = frozenset((".js", ".jsx", ".mjs", ".cjs"))
_EXTENSIONS: Final = (
    ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".es6", *_DECLARATIONS, ".vue", ".svelte", ".json",
)
_BY_LENGTH: Final = tuple(sorted(_EXTENSIONS, key=len, reverse=True))
_RANK: Final = {extension: rank for rank, extension in enumerate(_EXTENSIONS)}
_BUILT: Final = frozenset(("dist", "build", "lib", "out", "esm", "cjs", "es", "types"))
_OUTPUT: Final = frozenset(("dist", "build", "out"))  # what is not there in these has not been built
_PLATFORMS: Final = ("native", "ios", "android", "web")
_SOURCES: Final = ("src", "lib")


def stem(path: str) -> tuple[str, str]:
    """A path without its extension, and the extension."""
    for extension in _BY_LENGTH:
        if path.endswith(extension):
            return path[: -len(extension)], extension
    return path, ""


def places(path: str) -> tuple[str, ...]:
    """Keys under which a file can be imported."""
    base, extension = stem(path)
    keys = [f"js:at:{path}"]
    if extension:
        keys.append(f"js:at:{base}")
        if extension in _DECLARATIONS:
            keys.append(f"js:at:{base}.d")  # `./types.d.js` is `types.d.ts`
        front, _, last = base.rpartition("/")
        if last == "index":
            keys.append(f"js:at:{dirname(base)}/")
        parts = front.split("/")
        keys += [_gathered_key("/".join(parts[:at]), last) for at, part in enumerate(parts) if part in _SOURCES]
    return tuple(keys)


def _gathered_key(directory: str, last: str) -> str:
    """What is called so anywhere below the sources of a directory."""
    return f"js:gathered:{directory}#{last}"


def _built(entry: str) -> str:
    """What a path inside a package would be built of, in whichever directory its sources are; '' where it is none."""
    *front, last = stem(normpath(entry))[0].split("/")
    kept = list(dropwhile(_BUILT.__contains__, front))
    return "/".join((*kept, last)) if len(kept) < len(front) else ""


def _without_platform(base: str) -> str:
    front, dot, last = base.rpartition(".")
    return front if dot and last in _PLATFORMS else base


class Modules:
    """Answers for one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._project: Project | None = None
        self._known: dict[tuple[str, str], tuple[str, str, frozenset[str]]] = {}

    def find(self, path: str, specifier: str, reads: set[str]) -> tuple[str, str]:
        """(path, '') of a file, ('', name) of something outside, or ('', '') when it should be here and is not."""
        key = (dirname(path), specifier)
        found = self._known.get(key)
        if found is None:
            looked: set[str] = {PROJECT_KEY}
            found = self._known[key] = (*self._search(path, specifier, looked), frozenset(looked))
        reads |= found[2]
        return found[0], found[1]

    def variants(self, path: str, reads: set[str]) -> tuple[str, ...]:
        """The files that stand for a file on other platforms; none in a package that is not made for several."""
        reads.add(PROJECT_KEY)
        if not self.project.has_platforms(path):
            return ()
        base = _without_platform(stem(path)[0])
        keys = [f"js:at:{base}", *(f"js:at:{base}.{platform}" for platform in _PLATFORMS)]
        reads.update(keys)
        found = {each for key in keys for each in self._world.offering(key) if _without_platform(stem(each)[0]) == base}
        return tuple(sorted(found - {path}))

    def declaring(self, path: str, reads: set[str]) -> str:
        """The file that stands beside a script and declares what is in it, or ''."""
        base, extension = stem(path)
        if extension not in _SCRIPTS:
            return ""
        key = f"js:at:{base}"
        reads.add(key)
        beside = {stem(found)[1]: found for found in self._world.offering(key)}
        wanted = (f".d.{extension[1:-2]}ts", ".d.ts")  # of `.mjs` that is `.d.mts`
        return next((beside[each] for each in wanted if each in beside), "")

    def declared(self, path: str, reads: set[str]) -> list[str]:
        """The scripts that a file of declarations stands beside."""
        base, extension = stem(path)
        if extension not in _DECLARATIONS:
            return []
        key = f"js:at:{base}"
        reads.add(key)
        return [found for found in self._world.offering(key) if self.declaring(found, reads) == path]

    @property
    def project(self) -> Project:
        if self._project is None:
            paths = self._world.offering(PROJECT_KEY)
            self._project = Project({path: relevant(path, self._world.source(path)) for path in paths})
        return self._project

    def _search(self, path: str, specifier: str, looked: set[str]) -> tuple[str, str]:
        specifier = specifier.partition("?")[0]
        if specifier.startswith("node:"):
            return "", specifier[5:]
        if specifier in (".", "..") or specifier.startswith(("./", "../")):
            target = normpath(join(dirname(path), specifier))
            found = "" if target.startswith("..") else self._at(target, looked, specifier.endswith(("/", ".")))
            found = found or self._unbuilt(target, looked) or self._entry(target, looked)
            return (found, "") if found else ("", "" if self._is_code(specifier) else specifier)
        if specifier.startswith("/"):
            found = self._at(specifier.lstrip("/"), looked)
            return (found, "") if found else ("", specifier)
        found = self._mapped(path, specifier, looked) or self._packaged(path, specifier, looked)
        if found:
            return found, ""
        return ("", "") if specifier.startswith(("#", "@/", "~/")) or self._is_ours(specifier) else ("", specifier)

    def _is_ours(self, specifier: str) -> bool:
        """Whether code of a package of the root is meant, be it there or not."""
        directories, subpath = self.project.packages(specifier)
        return bool(directories) and (not subpath or self._is_code(subpath))

    @staticmethod
    def _is_code(specifier: str) -> bool:
        """Whether a file of this family is meant; a picture or a style sheet is outside of it."""
        return stem(specifier)[1] not in ("", ".json") or "." not in specifier.rpartition("/")[2].strip(".")

    def _at(self, target: str, looked: set[str], directory: bool = False) -> str:
        """The file at a path that may lack its extension, have another one, or be a directory."""
        target = "" if target == "." else target
        base, extension = stem(target)
        tries = [f"js:at:{target}/"] if directory or not target else [f"js:at:{target}"]
        if not directory and extension in _SCRIPTS:
            tries.append(f"js:at:{base}")
        if target and not directory:
            tries.append(f"js:at:{target}/")
        for key in tries:
            looked.add(key)
            found = self._world.offering(key)
            if found:
                exact = key[6:]
                return min(found, key=lambda path: (path != exact, _RANK.get(stem(path)[1], 99), path))
        return self._package_entry(target, "", looked) or self._platform(target, looked)

    def _platform(self, target: str, looked: set[str]) -> str:
        """The file of the first platform, where there is none for all."""
        if not target or not self.project.has_platforms(target):
            return ""
        for base in (target, f"{target}/index"):
            for key in [f"js:at:{base}.{platform}" for platform in _PLATFORMS]:
                looked.add(key)
                if found := self._world.offering(key):
                    return min(found, key=lambda path: (_RANK.get(stem(path)[1], 99), path))
        return ""

    def _mapped(self, path: str, specifier: str, looked: set[str]) -> str:
        configuration = self.project.configuration(dirname(path))
        if configuration is None:
            return ""
        fitting = [
            (len(pattern.partition("*")[0]), middle, targets)
            for pattern, targets in configuration.paths
            if (middle := match(pattern, specifier)) is not None
        ]
        for _, middle, targets in sorted(fitting, key=lambda item: -item[0]):
            for target in targets:
                if found := self._at(target.replace("*", middle), looked):
                    return found
        if configuration.base is not None:
            return self._at(normpath(join(configuration.base, specifier)), looked)
        return ""

    def _packaged(self, path: str, specifier: str, looked: set[str]) -> str:
        if specifier.startswith("#"):
            around = self.project.package_around(path)
            targets = self.project.imports(around, specifier) if around is not None else []
            return self._first(around or "", targets, looked)
        directories, subpath = self.project.packages(specifier)
        for directory in directories:
            if found := self._package_entry(directory, subpath, looked):
                return found
        return ""

    def _package_entry(self, directory: str, subpath: str, looked: set[str]) -> str:
        if not self.project.package(directory):
            return ""
        entries = self.project.entries(directory, subpath)
        name = self.project.package(directory).get("name")
        # a bundle that has not been made is made of what is called like the package
        named = [name.rpartition("/")[2]] if isinstance(name, str) and not subpath else []
        sources = [f"src/{subpath or 'index'}", subpath or "index"]
        sources += [f"{at}/{each}" for at in _SOURCES for each in named]
        found = self._first(directory, entries, looked) or self._first(directory, sources, looked)
        folder = stem(found)[0].removesuffix("index").rstrip("/")
        if found and all(not folder.endswith(f"/{_built(entry)}") for entry in entries):
            return found
        return next(filter(None, (self._gathered(directory, entry, folder, looked) for entry in entries)), found)

    def _gathered(self, directory: str, entry: str, folder: str, looked: set[str]) -> str:
        """The source of what a package would build, anywhere among its sources: the only file that is called so, or
        the one of a directory that has more of what the package gives away than any other. Of these is the one that
        has a folder of that name, which is meant where the file is not."""
        built = _built(entry)
        if not built:
            return ""
        key = _gathered_key(directory, built.rpartition("/")[2])
        looked.add(key)
        bases = {stem(path)[0]: path for path in self._world.offering(key) if self._is_source(directory, path)}
        around = [base[: -len(built)] for base in (folder, *bases) if base.endswith(f"/{built}")]
        if len(around) > 1:
            given = [other for each in self.project.outputs(directory) if (other := _built(each))]
            has = [sum(bool(self._plain(place + each, looked)) for each in given) for place in around]
            around = [place for place, count in zip(around, has, strict=True) if count == max(has)]
        return bases.get(around[0] + built, "") if len(around) == 1 else ""

    def _is_source(self, directory: str, path: str) -> bool:
        inside = path[len(directory) :].lstrip("/")
        return self.project.package_around(path) == directory and role_of(inside) == "source"

    def _first(self, directory: str, entries: list[str], looked: set[str]) -> str:
        """The first entry that is there; what is built is looked for at its source."""
        for entry in entries:
            target = normpath(join(directory, entry))
            if target == directory or target.startswith(".."):
                continue
            if found := self._plain(target, looked):
                return found
            if built := _built(entry):
                for again in (f"src/{built}", f"lib/{built}", built):
                    if found := self._plain(normpath(join(directory, again)), looked):
                        return found
        return ""

    def _unbuilt(self, target: str, looked: set[str]) -> str:
        """The source of what a path inside a package's output would be."""
        around = self.project.package_around(target)
        inside = "" if around is None else target[len(around) :].lstrip("/")
        return self._first(around or "", [inside], looked) if inside.partition("/")[0] in _OUTPUT else ""

    def _entry(self, target: str, looked: set[str]) -> str:
        """The source of a package's own entry, which another file of it names by its path and which is not there."""
        around = self.project.package_around(target)
        if around is None:
            return ""
        inside = target[len(around) :].lstrip("/")
        is_entry = inside in (normpath(entry) for entry in self.project.entries(around, ""))
        return self._package_entry(around, "", looked) if inside and is_entry else ""

    def _plain(self, target: str, looked: set[str]) -> str:
        base, extension = stem(target)
        tries = [f"js:at:{target}", f"js:at:{base}"] if extension else [f"js:at:{target}", f"js:at:{target}/"]
        for key in tries:
            looked.add(key)
            if found := self._world.offering(key):
                return min(found, key=lambda path: (path != key[6:], _RANK.get(stem(path)[1], 99), path))
        return ""
