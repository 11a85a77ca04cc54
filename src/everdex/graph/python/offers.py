"""What a Python file offers to other files: keys, each with a hash of what a reader could see of it.

Modules by every dotted name they could be imported as; each scope by its own text without the bodies inside it, modules
and classes also name by name; the names that are called, the methods and fixtures that are defined, the bases that are
named; and where bodies assign, fill and pass on what others may read. Hashes are of text, not of positions: a line that
only moved changes nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import xxhash

from everdex.facts.python import model as m
from everdex.graph.python.classes.made_classes import made_by_base
from everdex.graph.python.file import slots
from everdex.graph.python.file.files import File
from everdex.graph.python.file.heads import Said, Text, digest_text, hash_of, heads_of, said
from everdex.graph.python.file.imported_as import as_imported, in_heads, renamed_in
from everdex.graph.python.file.keys import (
    BARE_KEY,
    BASE_KEY,
    CALLED_META_KEY,
    CONFTEST,
    DECORATE_KEY,
    DECORATED_KEY,
    FIXTURE_KEY,
    KEPT_KEY,
    MADE_KEY,
    META_KEY,
    METHOD_KEY,
    NAMING_KEY,
    REPLACING_KEY,
    adopted_key,
    called_key,
    calls_key,
    computed_stores_key,
    conftest_key,
    default_key,
    dispatched_key,
    exported_key,
    filled_key,
    fills_key,
    fixture_key,
    given_key,
    head_key,
    indirect_key,
    loose_key,
    member_key,
    name_key,
    named_key,
    names_key,
    operated_key,
    others_key,
    parameters_key,
    passed_key,
    passes_key,
    replaced_key,
    scope_key,
    stars_key,
    stored_key,
    stores_key,
    stub_key,
    taken_key,
    taking_key,
    used_key,
)
from everdex.graph.python.file.uses import used
from everdex.graph.python.names.modules import BENEATH_KEY, MODULE_ENDS, MODULE_KEY, PACKAGE_KEY, WITHIN_KEY
from everdex.graph.python.names.standard import BUILTIN_NAMES
from everdex.languages import role_of


def offers(file: File, source: bytes) -> dict[str, int]:
    path = file.path
    offered: dict[str, int] = {}
    _modules(path, offered)
    _scopes(file, source, offered)
    sites: dict[str, list[str]] = {}
    entries, where = file.entries, file.where
    for name, calls in file.calls_by_name.items():
        places, bare, by_slot = [], [], dict[str, list[str]]()
        for each in calls:
            place = file.scopes[where[each]].key
            filled = slots.filled(entries, entries[each])
            for slot in filled:
                by_slot.setdefault(slot, []).append(place)
            if not filled:
                bare.append(place)
            places.append(f"{place} {sorted(filled)}")  # who goes by the file does not note what fills which
        by_key = {passes_key(name, slot): found for slot, found in by_slot.items()}
        for key, found in {**by_key, BARE_KEY + name: bare}.items() if bare else by_key.items():
            sites[key] = found if len(found) <= slots.FEW else [f"{slots.least(len(found))} and more"]
        if name.removesuffix("()") in file.defined:
            sites[calls_key(path, name)] = places
        else:
            sites.setdefault(others_key(path, name), []).extend((name, *places))
    for name in sorted(file.defined):
        for key in {others_key(path, name), others_key(path, f"{name}()")}:  # one, but for `type`
            sites.setdefault(key, []).append(f"defines {name}")
    for name, calls in file.decorations.items():
        sites[DECORATE_KEY + name] = [file.scopes[file.where[each]].key for each in calls]
        offered[DECORATED_KEY + name] = len(calls)
    for name, functions in file.methods.items():
        sites[METHOD_KEY + name] = [file.scopes[each].key for each in functions]
    for name, below in file.classes_by_base.items():
        sites[BASE_KEY + name] = [file.scopes[each].key for each in below]
    for name, made in file.classes_by_metaclass.items():
        sites[META_KEY + name] = [file.scopes[each].key for each in made]
    if file.made_by_metaclass:
        sites[CALLED_META_KEY] = list(file.made_by_metaclass)
    for name, made in made_by_base(file).items():
        sites[MADE_KEY + name] = [file.scopes[file.where[each]].key for each in made]
    for name, keeping in file.kept.items():
        sites[KEPT_KEY + name] = [f"{attribute} {file.scopes[each].key}" for attribute, each in keeping]
    for name, others in file.renamed.items():
        sites.setdefault(BASE_KEY + name, []).extend(f"as {each}" for each in others)
    for scope in file.scopes:
        if scope.flags & m.IS_STUB:
            offered[stub_key(path, scope.key)] = 1
        fixture = file.fixture_name(scope) if scope.kind == m.FUNCTION_SCOPE and scope.decorators else ""
        if fixture:
            offered[FIXTURE_KEY + fixture] = 1
            sites.setdefault(fixture_key(path, fixture), []).append(scope.key)
    if path.rpartition("/")[2] == CONFTEST:
        offered[conftest_key(path)] = 1
    if role_of(path) != "test":
        offered.update((called_key(name), 1) for name in file.calls_by_name if name not in BUILTIN_NAMES)
    for name in used(file):
        offered[used_key(name)] = 1
    for name in (*file.given_imports, *file.given_classes, *file.held_imports):
        offered[given_key(name)] = 1
    _elsewhere(file, sites)
    for key, places in sites.items():
        offered[key] = _hash(places)
    return offered


def _hash(parts: Iterable[str]) -> int:
    return xxhash.xxh3_64_intdigest("\n".join(parts).encode("utf-8", "surrogatepass"))


def _elsewhere(file: File, sites: dict[str, list[str]]) -> None:
    """What bodies do to things that are looked at without looking at the bodies; and stars."""
    path, facts = file.path, file.facts
    if facts.stars or facts.exported is not None:
        taken = [f"{level} {module}" for _, level, module in facts.stars]
        sites[stars_key(path)] = [*taken, "all"] if facts.exported is not None else taken
        sites.update((exported_key(path, name), []) for name in facts.exported or ())
    for name, found in file.other_stores.items():
        sites[stored_key(name)] = places = [file.scopes[file.where[base]].key for base, _ in found]
        sites[stores_key(path, name)] = places
    for name, adopting in file.adopting.items():
        if name in file.defined:
            sites[adopted_key(path, name)] = [file.scopes[file.where[base]].key for base, _ in adopting]
    if file.computed_stores:
        sites[computed_stores_key(path)] = [file.scopes[file.where[base]].key for base, _, _ in file.computed_stores]
    if file.is_naming:
        sites[NAMING_KEY] = []
    for name, decorated in file.decorated_by_name.items():
        sites[named_key(name)] = [file.scopes[each].key for each in decorated]
    if file.replacing:
        sites[REPLACING_KEY] = [file.scopes[each].key for each in file.replacing]
    for module, replaced in file.replacements.items():
        sites[replaced_key(module)] = [f"{name} {file.scopes[file.where[base]].key}" for name, base, _ in replaced]
    for name, filled in file.item_stores_by_name.items():
        places = [file.scopes[file.where[store[0]]].key for store in filled]
        taken_out = [store[2] < 0 for store in filled]
        sites[filled_key(path, name)] = [f"{place} {out}" for place, out in zip(places, taken_out, strict=True)]
    for name, filled in file.foreign_fills.items():
        sites[fills_key(name)] = [file.scopes[file.where[store[0]]].key for store in filled]
    for name, defaults in file.defaults.items():
        sites[default_key(name)] = [f"{keyword} {file.scopes[file.where[value]].key}" for keyword, value in defaults]
    for name, taken_there in file.foreign_takes.items():
        sites[taken_key(name)] = [file.scopes[file.where[each]].key for each in taken_there]
    for name in file.passed:
        given, of_others = (
            [file.scopes[file.where[each]].key for each in found.get(name, ())]
            for found in (file.given, file.given_attributes)
        )
        sites[passed_key(path, name)] = [*given, "of", *of_others, "as", *file.aliases.get(name, ())]
    for name, taking in (*file.given_imports.items(), *file.given_classes.items()):
        sites.setdefault(passed_key(path, name), []).extend(file.scopes[file.where[each]].key for each, _ in taking)
        takers = [each for number, _ in taking for each, _ in file.taking_prepared.get(number, ())]
        sites[passed_key(path, name)] += [f"then {file.scopes[file.where[each]].key}" for each in takers]
    for name, taking in file.given_results.items():
        sites[passed_key(path, f"{name}()")] = [file.scopes[file.where[each]].key for each, _ in taking]
    for name, held in file.held_imports.items():
        sites.setdefault(passed_key(path, name), []).extend(f"in {file.scopes[file.where[each]].key}" for each in held)
    for function, names in file.aliases.items():
        if isinstance(function, int):
            sites.setdefault(passed_key(path, file.scopes[function].name), []).extend(names)
    for each, value in file.taking:
        for what in file.takes_for(value):
            sites.setdefault(taking_key(path, what), []).append(f"{what} {file.scopes[file.where[each]].key}")
    for method, operated in file.operations.items():
        sites[operated_key(method)] = [file.scopes[file.where[each]].key for each, _ in operated]
    for begins, dispatched in file.dispatched_by.items():
        sites[dispatched_key(begins)] = [file.scopes[file.where[each]].key for each, _ in dispatched]
    if file.indirect_calls or file.prepared:
        computed = [file.scopes[file.where[each]].key for each, _ in file.dispatched]
        called = [file.scopes[file.where[each]].key for each in file.indirect_calls]
        prepared = [file.scopes[file.where[each]].key for each in sorted(file.prepared)]
        sites[indirect_key(path)] = [*called, "by", *computed, "with", *prepared]


def _modules(path: str, offered: dict[str, int]) -> None:
    if not path.endswith(MODULE_ENDS):
        return  # a script, which nobody can import
    parts = path.rpartition(".")[0].split("/")
    is_package = parts[-1] == "__init__"
    if is_package:
        parts = parts[:-1]
        offered[PACKAGE_KEY + "/".join(parts) if parts else MODULE_KEY] = 1
    for start in range(len(parts)):
        offered[MODULE_KEY + ".".join(parts[start:])] = 1
    directories = parts if is_package else parts[:-1]
    for start in range(len(directories)):
        offered[BENEATH_KEY + "/".join(directories[: start + 1])] = 1
        for end in range(start + 1, len(directories) + 1):
            offered[WITHIN_KEY + ".".join(directories[start:end])] = 1


def _scopes(file: File, source: bytes, offered: dict[str, int]) -> None:
    """Each scope's text, where an inner definition counts with what stands before its body only."""
    inner: dict[int, list[m.Scope]] = {}  # with lambdas
    for scope in file.scopes[1:]:
        if scope.kind != m.COMPREHENSION_SCOPE:
            inner.setdefault(file.owner(scope.parent), []).append(scope)
    for each in inner.values():
        each.sort(key=lambda scope: scope.start)
    inside: dict[int, list[str]] = {}
    for (number, name), bindings in file.from_inside.items():
        inside.setdefault(number, []).extend(_bound_inside(file, name, bindings))
    renamed = renamed_in(file)
    imported, heads = in_heads(file, renamed), heads_of(file.scopes, source)
    for number, scope in enumerate(file.scopes):
        if scope.kind == m.COMPREHENSION_SCOPE:
            continue
        digest = xxhash.xxh3_64()
        functions = digest_text(digest, source, scope.start, scope.end, inner.get(number, ()), heads)
        digest.update("\n".join(inside.get(number, ())).encode("utf-8", "surrogatepass"))
        digest.update(imported.get(number, b""))
        if scope.kind == m.CLASS_SCOPE:
            for name, values in file.self_stores.get(number, {}).items():
                digest.update(f"{name} {[file.scopes[file.where[each]].key for each in values]}".encode())
            head = said(source[scope.start : scope.body]) + imported.get(number, b"")
            offered[head_key(file.path, scope.key)] = xxhash.xxh3_64_intdigest(head)
        elif scope.kind == m.FUNCTION_SCOPE and file.is_by_name(file.owner(scope.parent)):
            offered[head_key(file.path, scope.key)] = heads[scope.key]
            if len(scope.params) > (file.class_of(number) >= 0):
                offered[parameters_key(file.path, scope.key)] = heads[scope.key]
        offered[scope_key(file.path, scope.key)] = digest.intdigest() ^ functions
    first = 0
    statements = file.facts.statements
    for last, (_, _, _, scope_number) in enumerate(statements):
        if last + 1 == len(statements) or statements[last + 1][3] != scope_number:
            texts = _texts(file, source, first, last, inner.get(scope_number, ()), renamed, heads)
            key = file.scopes[scope_number].key
            offered[names_key(file.path, key)] = _hash(_bound(file, scope_number))
            if loose := [(place, each.said) for place, each in enumerate(texts) if _is_loose(file, first + place)]:
                offered[loose_key(file.path, key)] = hash_of(loose, texts)
            if scope_number:
                _members(file, scope_number, first, texts, offered)
            else:
                _names(file, first, texts, offered)
            first = last + 1


def _bound(file: File, scope: int) -> Iterator[str]:
    """The names of a module or class, and the kinds of what they are bound to."""
    for name, bindings in file.names[scope].items():
        yield f"{name} {[file.entries[file.bindings[each][2]][0] for each in bindings]}"


def _is_loose(file: File, statement: int) -> bool:
    """Whether no name stands for a statement of a module or class, and there is more in it than what it imports."""
    numbers = range(file.facts.statements[statement][0], file.facts.statements[statement + 1][0])
    return not file.bound_by[statement] and len(numbers) > len(file.imported_by(statement))


def _texts(
    file: File, source: bytes, first: int, last: int, inner: Sequence[m.Scope], renamed: Mapping[int, str],
    heads: Mapping[str, int],
) -> list[Text]:  # fmt: skip
    """Of each statement of a scope: its text, how what it defines is called in the graph, which of the names that it
    reads were bound before, in a module by which of several bindings, as what they were imported, and what functions do
    to those that it binds: who looks at one looks at its statement."""
    texts: list[Text] = []
    place = 0
    scope = file.facts.statements[first][3]
    several, entries = _several(file, scope), file.complete()
    for number in range(first, last):
        start, end = file.facts.statements[number][2], file.facts.statements[number + 1][2]
        within = []
        while place < len(inner) and inner[place].start < end:
            within.append(inner[place])
            place += 1
        digest = xxhash.xxh3_64("\n".join([each.key for each in within]).encode("utf-8", "surrogatepass"))
        functions = digest_text(digest, source, start, end, within, heads)
        begin, behind = file.facts.statements[number][0], file.facts.statements[number + 1][0]
        names = [entry for entry in entries[begin:behind] if entry[0] == m.NAME]
        digest.update("\n".join(_bound_before(names)).encode("utf-8", "surrogatepass"))
        digest.update(as_imported(renamed, range(begin, behind)))
        for entry in names if not scope else ():
            if entry[1] in several and entry[2]:
                digest.update(bytes(str([several[entry[1]].get(each, -1) for each in entry[2]]), "ascii"))
        for name in file.bound_by[number] if file.from_inside else ():
            inside = file.from_inside.get((file.facts.statements[number][3], name), ())
            digest.update("\n".join(_bound_inside(file, name, inside)).encode("utf-8", "surrogatepass"))
        texts.append(Text(digest.digest(), functions))
    return texts


def _bound_before(names: Iterable[Any]) -> Iterator[str]:
    """Which of the names that a statement reads are bound, each counted by itself: what else it comes to read does not
    matter."""
    count: dict[str, int] = {}
    for _, name, bindings, *_ in names:
        count[name] = count.get(name, 0) + 1
        if bindings:
            yield f"{name} {count[name]}"


def _several(file: File, scope: int) -> dict[str, dict[int, int]]:
    """The names of a scope that have several bindings, and the place of each among them."""
    bound = file.names[scope].items()
    return {name: {each: place for place, each in enumerate(found)} for name, found in bound if len(found) > 1}


def _binding(file: File, first: int, texts: Sequence[Text]) -> dict[str, Said]:
    """What the statements that bind each name say of it: their texts, or what they import under it."""
    found: dict[str, Said] = {}
    for place, text in enumerate(texts):
        imported = file.imported_by(first + place)
        for value, binding in imported.items():
            scope, name, _, flag = file.bindings[binding]
            inside = _bound_inside(file, name, file.from_inside.get((scope, name), ()))
            said = f"{file.entries[value]} {flag} {inside}\n".encode("utf-8", "surrogatepass")
            found.setdefault(name, []).append((-1, said))
        for name in dict.fromkeys(file.bound_by[first + place]):
            found.setdefault(name, []).append((place, text.said))
    return found


def _names(file: File, first: int, texts: Sequence[Text], offered: dict[str, int]) -> None:
    """Each name of the module: the statements that bind it, and which definitions stand before them: of several
    bindings these see others than who stands behind."""
    found = _binding(file, first, texts)
    defined = sorted((scope.born, scope.key) for scope in file.scopes[1:] if scope.kind != m.COMPREHENSION_SCOPE)
    before, digest = [0], xxhash.xxh3_64()
    for _, key in defined:
        digest.update(f"{key}\n".encode("utf-8", "surrogatepass"))
        before.append(digest.intdigest())
    for name, bindings in file.names[0].items():
        said, beside = found.get(name, []), b""
        if not said:  # only functions bind it
            beside = "\n".join(_bound_inside(file, name, bindings)).encode("utf-8", "surrogatepass")
        elif len(bindings) > 1:
            certain = [each for each in bindings if file.bindings[each][3] == m.CERTAIN]
            beside = bytes(str([before[bisect_left(defined, (each,))] for each in certain]), "ascii")
        offered[name_key(file.path, name)] = hash_of(said, texts, beside)


def _bound_inside(file: File, name: str, bindings: Sequence[int]) -> list[str]:
    """Where functions inside bind a name of a scope around them, and whether as a variable."""
    values = [file.bindings[each][2] for each in bindings]
    return [f"{name} {file.scopes[file.where[each]].key} {file.entries[each][0]}" for each in values]


def _members(file: File, scope: int, first: int, texts: Sequence[Text], offered: dict[str, int]) -> None:
    """Each name of a class: the statements that bind it, who reads which of several, and who assigns it to self."""
    found = _binding(file, first, texts)
    bound = file.names[scope]
    several = _several(file, scope)
    if several:
        begins = [each[0] for each in file.facts.statements[first : first + len(texts) + 1]]
        for number in range(begins[0], begins[-1]):
            entry = file.entries[number]
            if entry[0] == m.NAME and entry[1] in several and file.owner(file.where[number]) == scope:
                places = [several[entry[1]].get(each, -1) for each in entry[2]]
                place = bisect_right(begins, number) - 1
                found.setdefault(entry[1], []).append((place, texts[place].said + bytes(str(places), "ascii")))
    key = file.scopes[scope].key
    stored = file.self_stores.get(scope, {})
    for name in bound.keys() | stored.keys():
        keys = "\n".join([key, *(file.scopes[file.where[each]].key for each in stored.get(name, ()))])
        if (scope, name) in file.called_in_class:
            keys += "\ncalled"
        beside = keys.encode("utf-8", "surrogatepass") + b"\0"
        offered[member_key(file.path, key, name)] = hash_of(found.get(name, []), texts, beside)
