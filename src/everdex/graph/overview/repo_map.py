"""A repository in few words: what it is, languages, structure, packages, entry points, dependencies, tests, public API,
central symbols.

Every section has a share of the budget and says what it left out; what it does not use goes to the central symbols,
heaviest first. A token is counted as three bytes.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import Any, Final

from everdex.graph.definitions.atlas import CONTAINERS, Atlas, Definition
from everdex.graph.model import Role
from everdex.graph.overview import directories
from everdex.graph.overview.about import about
from everdex.graph.overview.entries import entry_points
from everdex.graph.overview.rank import Uses, uses
from everdex.graph.overview.workspace import packages
from everdex.graph.stored.packed import last_name
from everdex.graph.stored.postings import key32
from everdex.graph.stored.record import place
from everdex.wording import plural

_BYTES_PER_TOKEN: Final = 3
_SHARES: Final = {
    "about": 0.1, "languages": 0.08, "structure": 0.17, "packages": 0.12, "entry_points": 0.12, "dependencies": 0.08,
    "tests": 0.08, "public_api": 0.2,
}  # fmt: skip
_TITLE_TOKENS: Final = 8
# Of C and C++ the headers are what others see; methods are their type's, and a guard of a header says nothing.
_IMPLEMENTATION: Final = (".c", ".cc", ".cpp", ".cxx", ".cu")
_NOT_OFFERED: Final = frozenset(("lambda", "variable", "method", "namespace", "field"))
# A constructor is its class's, which stands there.
_NOT_CENTRAL: Final = frozenset(("field", "variant", "lambda", "namespace", "constructor"))
_NOT_CENTRAL_NAMES: Final = frozenset(("_", "__init__", "__new__"))
_ASKED_BY_LANGUAGE: Final = re.compile(r"__\w+__\Z")  # of a module: `__getattr__`, `__dir__`
_RENAMED: Final = re.compile(rb"[ \t]+as[ \t]+(\w+)")
_HELD: Final = CONTAINERS | {"module", "constant", "variable"}
_LIGHT: Final = {"variable": 0.25, "constant": 0.25, "macro": 0.25, "property": 0.25, "member": 0.25}
_PRIVATE: Final = 0.5
_GUARD: Final = re.compile(r"_(?:H|HH|HPP|HXX|H_INCLUDED|INCLUDED)_*\Z|\A_\Z")
_NAMES_SHOWN: Final = 8
_PACKAGE_NAMES_SHOWN: Final = 16
_DESCRIPTION_SHOWN: Final = 80
_LANGUAGES_SHOWN: Final = 8  # what has fewer files says little of a repository with more languages
_FILES_ASKED: Final = 400  # for what they offer: far more than a map has room for
_DEFINITIONS_WEIGHED: Final = 1_500

Item = dict[str, Any]  # `text` is how it reads; the rest are its fields


def repo_map(atlas: Atlas, budget: int) -> dict[str, Any]:
    """The body of a map answer."""
    roles = atlas.roles
    widely = uses(atlas.graph, [roles[path] == "test" for path in atlas.graph.paths])
    structure, directories_total = _structure(atlas, widely, roles, int(budget * _SHARES["structure"]))
    of_several = _packages(atlas, widely)
    sections = {
        "about": list(_about(atlas)),
        "languages": list(_languages(atlas)),
        "structure": structure,
        "packages": of_several,
        "entry_points": list(entry_points(atlas, roles)),
        "dependencies": list(_dependencies(atlas, roles, {item["name"] for item in of_several})),
        "tests": list(_tests(roles)),
        "public_api": _public(atlas, widely, roles),
    }
    used, shown = 0, []
    for name, items in sections.items():
        cost, kept = _fill(items[:_LANGUAGES_SHOWN] if name == "languages" else items, int(budget * _SHARES[name]))
        used += cost
        total = directories_total if name == "structure" else len(items)
        shown.append({"name": name, "items": kept, "omitted": total - len(kept)})
    ours = widely.only([roles[path] not in ("test", "vendored") for path in atlas.graph.paths])
    central = _central(atlas, ours, budget - used)
    used += central.pop("used")
    shown.append(central)
    return {"sections": shown, "budget": {"tokens": budget, "used": used}}


def tokens(text: str) -> int:
    return -(-(len(text.encode("utf-8", "replace")) + 1) // _BYTES_PER_TOKEN)


def _fill(items: Sequence[Item], room: int) -> tuple[int, list[Item]]:
    """The first items that fit, and what they cost with their title."""
    used, kept = _TITLE_TOKENS, []
    for item in items:
        cost = tokens(item["text"])
        if used + cost > room:
            break
        used += cost
        kept.append(item)
    return (used, kept) if kept else (0, [])


def _about(atlas: Atlas) -> Iterator[Item]:
    found = about(atlas.view)
    if found is not None:
        yield {"text": found[0], "path": found[1]}


def _languages(atlas: Atlas) -> Iterator[Item]:
    counted = Counter(atlas.view.file_languages)
    for language, files in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        yield {"text": f"{language or 'other'}: {plural(files, 'file')}", "language": language, "files": files}


def _structure(atlas: Atlas, used: Uses, roles: dict[str, str], room: int) -> tuple[list[Item], int]:
    """As many directories as fit, in the order of reading; and how many there are."""
    weights = dict(zip(atlas.graph.paths, used.files.tolist(), strict=True))
    tree = directories.Tree(zip(atlas.view.paths, atlas.view.file_languages, strict=True), roles, weights)
    items: dict[str, Item] = {}
    every = tree.by_importance()
    for each in every:
        main, around = each.language, tree.around(each)
        mostly = f", mostly {main}" if around is None or around.language != main else ""
        inside = each.path.removeprefix(f"{around.path}/") if around is not None else "."
        text = f"{'  ' * tree.level(each)}{inside}/ {plural(each.files, 'file')}{mostly}"
        items[each.path] = {"text": text, "directory": each.path, "files": each.files, "language": main}
    kept = _fill([items[each.path] for each in every], room)[1]
    chosen = {item["directory"] for item in kept}
    return [items[each.path] for each in tree.in_order(every) if each.path in chosen], len(every)


def _packages(atlas: Atlas, used: Uses) -> list[Item]:
    """The packages of a repository of several, those that most of it depends on first."""
    found = {package.directory: package for package in packages(atlas.view)}
    weights: Counter[str] = Counter()
    for path, weight in zip(atlas.graph.paths, used.files.tolist(), strict=True):
        directory = dirname(path)
        while directory and directory not in found:
            directory = dirname(directory)
        weights[directory] += weight
    items = []
    for package in sorted(found.values(), key=lambda each: (-round(weights[each.directory], 9), each.directory)):
        said = "" if package.description == package.name else package.description
        said = textwrap.shorten(said, _DESCRIPTION_SHOWN, placeholder=" …")
        text = f"{package.name}: {package.directory}/{f', {said}' if said else ''}"
        items.append({
            "text": text, "name": package.name, "directory": package.directory, "path": package.manifest,
            "description": package.description,
        })  # fmt: skip
    return items


def _dependencies(atlas: Atlas, roles: dict[str, str], own: set[str]) -> Iterator[Item]:
    """What the repository takes from outside, by how many of its files do; the language's own library is left out, and
    the repository's packages by whose names something outside is reached."""
    own = own | {name.replace("-", "_") for name in own}
    counted: Counter[str] = Counter()
    for entry in atlas.graph.files:
        if roles[entry.path] not in ("test", "vendored"):
            counted.update(entry.externals)
    for name, files in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        if name in own:
            continue
        yield {"text": f"{name}: used by {plural(files, 'file')}", "name": name, "files": files}


def _tests(roles: dict[str, str]) -> Iterator[Item]:
    for directory, files in directories.of_tests(roles):
        yield {"text": f"{directory or '.'}/ {plural(files, 'file')}", "directory": directory, "files": files}


def _public(atlas: Atlas, used: Uses, roles: dict[str, str]) -> list[Item]:
    """Public definitions at the top of source files, file by file, the most widely used file first; before them what
    packages of Python pass on, which is how they are used."""
    weights = {int(used.keys[at]): float(used.weights[at]) for at in used.best(_DEFINITIONS_WEIGHED)}
    outermost = [file for file, path in enumerate(atlas.graph.paths) if _is_package(path, roles)][:_FILES_ASKED]
    outermost.sort(key=lambda file: -float(used.files[file]))
    passing: list[Item] = []
    found: list[Item] = []
    for file in dict.fromkeys([*outermost, *used.heaviest(_FILES_ASKED)]):
        path = atlas.graph.paths[file]
        private = any(part.startswith("_") or part == "internal" for part in path.split("/")[:-1])
        if roles[path] != "source" or private or path.endswith(_IMPLEMENTATION):
            continue
        own = _offered(atlas, file, weights)
        passed_on = _passed_on(atlas, file, weights) if _is_package(path, roles) else []
        if passed_on:
            names = [*passed_on, *(name for name in own if name not in passed_on)]
            passing.append(_offering(path, names, _PACKAGE_NAMES_SHOWN))
        elif own:
            found.append(_offering(path, own, _NAMES_SHOWN))
    return passing + found


def _offering(path: str, names: list[str], most: int) -> Item:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return {"text": f"{path}: {', '.join(names[:most])}{more}", "path": path, "names": names[:most],
            "names_total": len(names)}  # fmt: skip


def _is_package(path: str, roles: dict[str, str]) -> bool:
    """Whether a file is what users of a package of Python import, and is in no other package."""
    return path.rpartition("/")[2] == "__init__.py" and f"{dirname(dirname(path))}/__init__.py".lstrip("/") not in roles


def _passed_on(atlas: Atlas, file: int, weights: dict[int, float]) -> list[str]:
    """Names that a file takes from others of the repository, and so offers as well: the widely used first."""
    columns, path = atlas.columns(file), atlas.graph.paths[file]
    found: dict[str, tuple[bool, float]] = {}
    for number, site in enumerate(columns.sites()):
        if site.role is not Role.IMPORT or site.source or len(site.targets) != 1:
            continue
        item = atlas.at(site.targets[0])
        end = atlas.byte(path, *columns.span(number)[2:])
        renamed = _RENAMED.match(atlas.view.source(path), end)
        name = renamed[1].decode() if renamed else last_name(site.text)
        if item is None or item.is_file or item.file == file or item.node.parent or name.startswith("_"):
            continue
        is_value = item.node.kind in ("variable", "constant")
        found[name] = (is_value, -round(weights.get(key32(place(item.target)), 0.0), 9))
    return sorted(found, key=lambda name: found[name])


def _offered(atlas: Atlas, file: int, weights: dict[int, float]) -> list[str]:
    """Names that a file offers at its top or inside its namespaces: types and functions first, the widely used before
    the others, then the rest.
    """
    definitions = atlas.definitions(file)
    spaces = _spaces(definitions)
    outside = {0, *(item.number for item in definitions if item.node.kind == "namespace"), *spaces}
    found: dict[str, tuple[bool, float]] = {}
    for item in definitions:
        node = item.node
        if node.parent not in outside or item.number in spaces or _ASKED_BY_LANGUAGE.match(node.name):
            continue
        if node.public and node.kind not in _NOT_OFFERED and not _GUARD.search(node.name):
            is_value = node.kind in ("variable", "constant", "macro", "variant")
            found.setdefault(node.name, (is_value, -round(weights.get(key32(place(item.target)), 0.0), 9)))
    return sorted(found, key=lambda name: found[name])


def _spaces(definitions: Sequence[Definition]) -> set[int]:
    """Modules that only hold types and other modules, as Ruby's do: they are there for the names of these."""
    held: dict[int, set[str]] = {}
    for item in definitions:
        held.setdefault(item.node.parent, set()).add(item.node.kind)
    return {
        item.number for item in definitions
        if item.number and item.node.kind == "module" and held.get(item.number, set()) - {"constant", "variable"}
        and held[item.number] <= _HELD
    }  # fmt: skip


def _central(atlas: Atlas, used: Uses, room: int) -> dict[str, Any]:
    """The definitions that most depends on, as many as fit into what is left."""
    kept: list[Item] = []
    spent = _TITLE_TOKENS
    weighed = _weighed(atlas, used)
    for weight, item in weighed:
        node = item.node
        text = f"{item.path}:{node.name_line}: {atlas.reads(item)}"
        cost = tokens(text)
        if spent + cost > room:
            break
        spent += cost
        kept.append(
            {
                "text": text, "path": item.path, "line": node.name_line, "kind": node.kind,
                "qualified_name": node.qualified_name, "signature": node.signature,
                "symbol": atlas.symbol(item), "weight": round(weight, 6),
            }
        )  # fmt: skip
    total = len(weighed) + max(0, used.used - _DEFINITIONS_WEIGHED)
    return {"name": "central", "items": kept, "omitted": total - len(kept), "used": spent if kept else 0}


def _weighed(atlas: Atlas, used: Uses) -> list[tuple[float, Definition]]:
    """Widely used definitions, heaviest first: what is large says more, and a function more than a name."""
    by_file: dict[int, dict[int, float]] = {}
    for at in used.best(_DEFINITIONS_WEIGHED):
        by_file.setdefault(int(used.key_files[at]), {})[int(used.keys[at])] = float(used.weights[at])
    found: list[tuple[float, Definition]] = []
    for file, weights in by_file.items():
        definitions = atlas.definitions(file)
        spaces = _spaces(definitions)
        for item in definitions:
            weight = weights.get(key32(place(item.target)))
            node = item.node
            if weight is None or item.is_file or node.kind in _NOT_CENTRAL or node.name in _NOT_CENTRAL_NAMES:
                continue
            if item.number in spaces:
                continue
            weight *= math.log1p(node.end_line - node.start_line + 1)
            weight *= _LIGHT.get(node.kind, 1.0) * (1.0 if node.public else _PRIVATE)
            found.append((weight, item))
    return sorted(found, key=lambda pair: (-round(pair[0], 9), pair[1].path, pair[1].number))
