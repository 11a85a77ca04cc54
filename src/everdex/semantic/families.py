"""Language families: which files of a repository make a semantic context, which decide it, and which tool reads it.

Data only. A language belongs to one family, so a file has at most one context. Knows neither files nor processes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

import msgspec

from everdex.languages import C_FAMILY


class Family(msgspec.Struct, frozen=True):
    """`markers` make a directory the root of a context; `decides` are all names whose bytes change what a tool finds.

    `weak` markers count only where no directory above is a root already: a package without a configuration of its own
    is read with the one that it lies under.
    """

    language: str  # the context's, and its name
    languages: frozenset[str]  # of files, as everdex names them
    markers: tuple[str, ...]
    tool: str
    weak: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()

    def rank(self, name: str) -> int | None:
        """Which marker a file is: of several in a directory the first speaks for it."""
        return next((place for place, pattern in enumerate(self.markers) if fnmatchcase(name, pattern)), None)

    def is_deciding(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in (*self.markers, *self.weak, *self.decides))


FAMILIES: Final = (
    Family("python", frozenset({"python"}), ("pyproject.toml", "setup.cfg", "setup.py"), "scip-python",
           decides=("pyrightconfig.json", "requirements*.txt", "tox.ini")),
    Family("typescript", frozenset({"typescript", "tsx", "javascript"}), ("tsconfig.json", "jsconfig.json"),
           "scip-typescript", weak=("package.json",), decides=("tsconfig.*.json", "jsconfig.*.json")),
    Family("go", frozenset({"go"}), ("go.mod",), "scip-go", decides=("go.work",)),
    Family("rust", frozenset({"rust"}), ("Cargo.toml",), "rust-analyzer",
           decides=("rust-toolchain", "rust-toolchain.toml")),
    Family("java", frozenset({"java", "kotlin", "scala"}),
           ("settings.gradle", "settings.gradle.kts", "pom.xml", "build.gradle", "build.gradle.kts"), "scip-java",
           decides=("gradle.properties", "*.versions.toml")),
    Family("dotnet", frozenset({"csharp"}), ("*.sln", "*.slnx", "*.csproj"), "scip-dotnet",
           decides=("*.props", "*.targets", "global.json")),
    Family("clang", C_FAMILY, ("compile_commands.json",), "scip-clang"),
)  # fmt: skip
OF_LANGUAGE: Final = {language: family for family in FAMILIES for language in family.languages}
