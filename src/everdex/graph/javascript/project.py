"""package.json and tsconfig.json: where a specifier may lead that is not a relative path.

Files of the repository are untrusted: anything that is not of the expected shape is as if it were not there.
"""

from __future__ import annotations

import json
import re
from posixpath import dirname, join, normpath
from typing import Any, Final

_FIELDS: Final = ("name", "main", "module", "source", "types", "typings", "exports", "imports")
_NEEDS: Final = ("dependencies", "devDependencies", "peerDependencies")
_NATIVE: Final = "react-native"  # which has a file a platform: `view.ios.tsx`, `view.web.tsx`
_OPTIONS: Final = ("paths", "baseUrl")
_NAME: Final = re.compile(r"(?:ts|js)config(?:\.[\w.-]+)?\.json")
# What JSON with comments has beside JSON; or a string. One that does not end, and a comment that does not, are taken up
# to where they are given up: looking for the end from every beginning would be quadratic.
_JSONC: Final = re.compile(r'//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|("[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"?|/\*.*)', re.DOTALL)
_CONDITIONS: Final = ("source", "import", "module", "default", "require", "node", "browser", "types")
_MAX_EXTENDS: Final = 8
_MAX_BYTES: Final = 1_048_576
_MAX_OUTPUTS: Final = 64


def is_project_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == "package.json" or _NAME.fullmatch(name) is not None


def relevant(path: str, data: bytes) -> dict[str, Any]:
    """What resolution reads out of a project file."""
    content = _load(data)
    if path.rpartition("/")[2] == "package.json":
        found: dict[str, Any] = {field: content[field] for field in _FIELDS if field in content}
        if any(_NATIVE in needed for field in _NEEDS if isinstance(needed := content.get(field), dict)):
            found[_NATIVE] = True
        return found
    options = content.get("compilerOptions")
    found = {field: content[field] for field in ("extends", "references") if field in content}
    if isinstance(options, dict):
        found |= {field: options[field] for field in _OPTIONS if field in options}
    return found


def _load(data: bytes) -> dict[str, Any]:
    if len(data) > _MAX_BYTES:
        return {}
    text = data.decode("utf-8-sig", "replace")
    # comments first: a trailing comma may stand before one
    plain = _JSONC.sub(lambda found: found[1] or (" " if found[0] != "," else ","), text)
    plain = _JSONC.sub(lambda found: found[1] or " ", plain)
    try:
        content = json.loads(plain)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


class Configuration:
    """The compiler options that count for a directory."""

    __slots__ = ("base", "paths")

    def __init__(self) -> None:
        self.base: str | None = None
        self.paths: list[tuple[str, list[str]]] = []  # pattern, targets from the root


class Project:
    """All project files of a world, by directory."""

    def __init__(self, contents: dict[str, dict[str, Any]]) -> None:
        self._contents = contents
        self._packages: dict[str, list[str]] = {}  # name -> directories
        self._directories: set[str] = set()
        self._configurations: dict[str, Configuration | None] = {}
        for path, content in sorted(contents.items()):
            if path.rpartition("/")[2] == "package.json":
                self._directories.add(dirname(path))
                name = content.get("name")
                if isinstance(name, str) and name:
                    self._packages.setdefault(name, []).append(dirname(path))
        for directories in self._packages.values():
            # The root of a workspace may be called as the member that is meant; so may a fixture far below be.
            directories.sort(key=lambda directory: (not directory, directory.count("/"), directory))

    def packages(self, specifier: str) -> tuple[list[str], str]:
        """The directories of packages that a specifier may begin with, likeliest first, and what follows the name."""
        parts = specifier.split("/")
        length = 2 if specifier.startswith("@") else 1
        return self._packages.get("/".join(parts[:length]), []), "/".join(parts[length:])

    def package(self, directory: str) -> dict[str, Any]:
        return self._contents.get(join(directory, "package.json"), {})

    def package_around(self, path: str) -> str | None:
        """The directory of the nearest package.json."""
        directory = dirname(path)
        while True:
            if directory in self._directories:
                return directory
            if not directory:
                return None
            directory = dirname(directory)

    def has_platforms(self, path: str) -> bool:
        """Whether the package around a file is made for several platforms."""
        around = self.package_around(path)
        return around is not None and _NATIVE in self.package(around)

    def configuration(self, directory: str) -> Configuration | None:
        """From the nearest tsconfig.json or jsconfig.json."""
        if directory in self._configurations:
            return self._configurations[directory]
        found: Configuration | None = None
        for name in ("tsconfig.json", "jsconfig.json"):
            path = join(directory, name)
            if path in self._contents:
                found = Configuration()
                self._read(path, found, 0)
                for reference in _list(self._contents[path].get("references")):
                    if not found.paths and isinstance(reference, dict):
                        self._read(self._named(path, reference.get("path")), found, 1)
                break
        if found is None and directory:
            found = self.configuration(dirname(directory))
        self._configurations[directory] = found
        return found

    def _read(self, path: str, into: Configuration, depth: int) -> None:
        content = self._contents.get(path)
        if content is None or depth > _MAX_EXTENDS:
            return
        base = content.get("baseUrl")
        if into.base is None and isinstance(base, str):
            into.base = normpath(join(dirname(path), base))
        paths = content.get("paths")
        if not into.paths and isinstance(paths, dict):
            origin = normpath(join(dirname(path), base)) if isinstance(base, str) else into.base or dirname(path)
            into.paths = [
                (pattern, [normpath(join(origin, target)) for target in _list(targets) if isinstance(target, str)])
                for pattern, targets in paths.items()
            ]
        extended = content.get("extends")
        for name in reversed(_list(extended) if isinstance(extended, list) else [extended]):
            self._read(self._named(path, name), into, depth + 1)

    def _named(self, path: str, name: object) -> str:
        """The path of a configuration that another one names."""
        if not isinstance(name, str):
            return ""
        if name.startswith("."):
            targets = [normpath(join(dirname(path), name))]
        else:
            directories, below = self.packages(name)
            targets = [normpath(join(directory, below)) for directory in directories]
        for target in targets:
            for candidate in (target, target + ".json", join(target, "tsconfig.json")):
                if candidate in self._contents:
                    return candidate
        return ""

    def entries(self, directory: str, subpath: str) -> list[str]:
        """Paths below the directory that a package may mean by '' or a subpath, best first."""
        package = self.package(directory)
        exports = package.get("exports")
        if exports is not None:
            if not isinstance(exports, dict) or not any(str(key).startswith(".") for key in exports):
                exports = {".": exports}
            found = select(exports, f"./{subpath}" if subpath else ".")
            if found:
                return found
        if subpath:
            return [subpath]
        return [entry for field in ("source", "module", "main", "types", "typings")
                if isinstance(entry := package.get(field), str)] + ["index"]  # fmt: skip

    def outputs(self, directory: str) -> list[str]:
        """Paths below the directory that a package gives away, as many as are looked at."""
        exports = self.package(directory).get("exports")
        found = [*_targets(exports, 0), *self.entries(directory, "")]
        return [path for path in dict.fromkeys(found) if "*" not in path][:_MAX_OUTPUTS]

    def imports(self, directory: str, specifier: str) -> list[str]:
        table = self.package(directory).get("imports")
        return select(table, specifier) if isinstance(table, dict) else []


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def select(table: dict[str, Any], wanted: str) -> list[str]:
    """The targets of the longest pattern that fits, by preference of conditions."""
    best: tuple[int, list[str]] = (-1, [])
    for pattern, target in table.items():
        middle = match(pattern, wanted)
        if middle is not None and len(pattern) > best[0]:
            best = len(pattern), [path.replace("*", middle) for path in _targets(target, 0)]
    return best[1]


def match(pattern: str, wanted: str) -> str | None:
    """What `*` stands for, '' when the pattern is the word itself; None when it does not fit."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == wanted else None
    if len(wanted) >= len(head) + len(tail) and wanted.startswith(head) and wanted.endswith(tail):
        return wanted[len(head) : len(wanted) - len(tail)]
    return None


def _targets(target: object, depth: int) -> list[str]:
    if isinstance(target, str):
        return [target.removeprefix("./")]
    if depth > _MAX_EXTENDS:
        return []
    if isinstance(target, list):
        return [path for item in target for path in _targets(item, depth + 1)]
    if isinstance(target, dict):
        rest = [key for key in target if key not in _CONDITIONS]
        return [path for key in (*_CONDITIONS, *rest) if key in target for path in _targets(target[key], depth + 1)]
    return []
