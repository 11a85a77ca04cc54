"""The graph's answers for a model: who uses a symbol, what a change may affect, and the map of a repository.

Shapes of the replies and how documents become them. Ids and anchors stay out: a model names symbols by path and line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, Field

from everdex.graph.answers.doubts import doubts, left_open
from everdex.graph.model import SYNTACTIC
from everdex.surfaces.cli.outside import from_outside
from everdex.surfaces.cli.related import may_mean
from everdex.surfaces.cli.rows import handed_to, local_name
from everdex.surfaces.mcp import model, pictured
from everdex.surfaces.mcp.budget import Spendable, fit

Document = Mapping[str, Any]
Reply = dict[str, Any]
_ALL_OF_IT: Final = "the whole answer: ask again with wait: true"
_TESTS: Final = 5  # so many stay before affected definitions are cut


class Match(BaseModel):
    path: str
    line: int
    kind: str
    text: str = Field(description="name with parameters or bases")


class SymbolQuestion(model.Reply):
    symbol: Match | None = Field(description="the definition that is meant; null when none or several fit")
    matches: list[Match] = Field(description="when several fit: ask again with path:line or path::name of one")
    suggestions: list[model.Suggestion] = Field(description="when none fits: names like it")
    counts: dict[str, int]
    could_add: dict[str, int | None] = Field(
        description="sites elsewhere that ask for the same name and could not be decided, calls of methods"
        " that override it, places that may use it of an unknown owner, that write its name in a string, template or"
        " setting: the list may lack them; null: not counted yet"
    )
    outside: list[model.Outside] = Field(description="why something outside the repository may call it")


class ReferencesReply(SymbolQuestion):
    reservation: model.Reservation | None = Field(
        description="what is open while the graph of a large repository is not finished: the list is part of the whole,"
        " which wait: true waits for; null: nothing is"
    )
    references: list[model.Use]
    roles: dict[str, int] = Field(description="how many of all its references do what")
    may_mean: list[str] = Field(description="the places of an unknown owner or in a text, while they are few")


class AffectedOne(BaseModel):
    path: str
    line: int
    name: str = Field(description="of a function without a name what it is handed to: it('closes twice')")
    depth: int
    certainty: str
    layer: str = Field(description="semantic when a step is known by an indexer only, else syntactic")
    way: list[str] = Field(description="from the symbol outwards, as relation and path:line")


class ImpactReply(SymbolQuestion):
    affected: list[AffectedOne]
    tests: list[str] = Field(description="affected test files")
    picture: pictured.PictureInfo | None = Field(description="of the image beside this text, if one was asked for")


class MapSection(BaseModel):
    name: str
    lines: list[str]
    omitted: int


class MapReply(model.Reply):
    sections: list[MapSection]


def references(document: Document, budget: int) -> Reply:
    written = {"certainty": "resolved", "layer": SYNTACTIC, "source": {"qualifiedName": ""}}
    declared = [
        {**use({**item, **written}), "role": "declaration"} for item in document.get("declarations", ())
    ]
    uses = [*declared, *(use(item) for item in document.get("references", ()))]
    possible = [may_mean(place) for place in document.get("may_mean", ())]
    reply = {
        **_about_symbol(document), "reservation": reservation(document), "references": uses,
        "roles": document.get("roles", {}), "may_mean": possible,
    }  # fmt: skip
    reply["omitted"] = {"matches": document["matches_omitted"], "references": document.get("omitted", 0)}
    reply["omitted"]["references"] += document.get("declarations_omitted", 0)
    fit(reply, budget, [Spendable("may_mean", possible), Spendable("references", uses), *_spendable(reply)])
    return reply


def reservation(document: Document) -> Reply | None:
    """What an answer leaves open, as a model reads it."""
    left = document.get("reservation")
    return left and {"waiting": left["waiting"], "files": left["files"], "ways": [way["text"] for way in left["ways"]]}


def use(item: Document) -> Reply:
    """A place as a model sees it."""
    return {
        "path": item["path"], "line": item["line"], "role": item["role"], "certainty": item["certainty"],
        "layer": item["layer"], "inside": item["source"]["qualifiedName"], "text": item["text"].strip()[:300],
    }  # fmt: skip


def impact(document: Document, budget: int) -> Reply:
    affected = [
        {
            "path": item["path"], "line": item["name_line"], "name": handed_to(item) or item["qualified_name"],
            "depth": item["depth"],
            "certainty": item["certainty"],
            "layer": next((step["layer"] for step in item["way"] if step["layer"] != SYNTACTIC), SYNTACTIC),
            "way": [f"{step['relation']} {step['path']}:{step['line']}" for step in item["way"]],
        }
        for item in document.get("affected", ())
    ]  # fmt: skip
    tests = list(document.get("tests", ()))
    reply = {**_about_symbol(document), "affected": affected, "tests": tests, "picture": pictured.info(document)}
    reply["omitted"] = {
        "matches": document["matches_omitted"], "affected": document.get("omitted", 0),
        "tests": document.get("tests_omitted", 0),
    }  # fmt: skip
    few_tests = Spendable("tests", tests, least=_TESTS)
    fit(reply, budget, [few_tests, Spendable("affected", affected), Spendable("tests", tests), *_spendable(reply)])
    return reply


def repo_map(document: Document, budget: int) -> Reply:
    sections = [
        {
            "name": part["name"], "lines": [item["text"] for item in part["items"]], "omitted": part["omitted"],
        }
        for part in document["sections"]
    ]  # fmt: skip
    reply = {**model.frame(document), "sections": sections}
    fit(reply, budget, [Spendable(part["name"], part["lines"]) for part in reversed(sections)])
    return reply


def _about_symbol(document: Document) -> Reply:
    symbol = document["symbol"]
    return {
        **model.frame(document),
        "symbol": match(symbol) if symbol else None,
        "matches": [match(item) for item in document["matches"]],
        "suggestions": list(document["suggestions"]),
        "counts": document.get("counts", {}),
        "could_add": document.get("could_add", {}),
        "outside": list(document.get("outside", ())),
    }


def match(item: Document) -> Reply:
    """A definition as a model sees it."""
    return {"path": item["path"], "line": item["name_line"], "kind": item["kind"], "text": item["text"][:300]}


def _spendable(reply: Reply) -> list[Spendable]:
    return [Spendable("suggestions", reply["suggestions"]), Spendable("matches", reply["matches"])]


# -- as text -----------------------------------------------------------------------------------


def lines(reply: Reply) -> Iterator[str]:
    """A reply as a model reads it best; never longer than its JSON."""
    if "sections" in reply:
        for part in reply["sections"]:
            if not part["lines"] and not part["omitted"]:
                continue
            yield f"# {part['name']}"
            yield from part["lines"]
            if part["omitted"]:
                yield f"… {part['omitted']:,} more"
        return
    if reply["symbol"] is None:
        yield from undecided(reply)
        return
    symbol = reply["symbol"]
    yield f"# {symbol['path']}:{symbol['line']} {symbol['text']}"
    yield from map(use_line, reply.get("references", ()))
    for item in reply.get("affected", ()):
        # What the path says already need not be said again: most of such a line would be that.
        way = " ← ".join(step.replace(f" {item['path']}:", " line ") for step in item["way"])
        is_call = any(f"({quote}" in item["name"] for quote in "\"'`")  # what a function without a name is handed to
        name = item["name"] if is_call else local_name(item["name"], item["path"])
        yield f"{item['path']}:{item['line']} {name}{_said(item)} ← {way}"
    if reply.get("tests"):
        yield f"tests: {', '.join(reply['tests'])}"
    yield from missing(reply)


def undecided(reply: Document) -> Iterator[str]:
    """Of a name that several definitions have, or none."""
    yield "several definitions fit; ask again with path:line" if reply["matches"] else "no definition fits"
    for item in reply["matches"]:
        yield f"{item['path']}:{item['line']}:{item['text']}"
    yield from like_it(reply)


def like_it(reply: Document) -> Iterator[str]:
    """Names like the one that nothing has."""
    for item in reply["suggestions"]:
        places = (f"{place['qualified_name']} {place['path']}:{place['start_line']}" for place in item["places"])
        yield f"like it ({item['how']}): {', '.join(places)}"


def use_line(item: Document) -> str:
    return f"{item['path']}:{item['line']} {item['role']}{_said(item)}: {item['text']}"


def _said(item: Document) -> str:
    """What is not resolved, and not read from the text."""
    said = [item["certainty"]] if item["certainty"] != "resolved" else []
    said += [item["layer"]] if item["layer"] != SYNTACTIC else []
    return f" ({', '.join(said)})" if said else ""


def missing(reply: Document, all_of_it: str = _ALL_OF_IT) -> Iterator[str]:
    """What the list may lack, if anything, and how to get all of it."""
    left = reply.get("reservation")
    if left:
        yield from left_open({**left, "ways": [{"text": way} for way in left["ways"]]}, all_of_it)
    if reply["could_add"]:
        yield from doubts(reply["could_add"])
    yield from (f"  {line}" for line in reply.get("may_mean", ()))
    listed = reply.get("references") or reply.get("affected")
    yield from from_outside(reply["outside"], is_alone=not listed)
