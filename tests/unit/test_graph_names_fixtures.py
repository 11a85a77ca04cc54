"""Call sites of thirteen languages: each says in a comment on its own line where it leads.

After the mark (`//>`, `#>`, `-->`) stand the expectations of the line's call sites in order, separated by `;`:
`Key` or `path::Key` for a resolved target, several with `|`; `?…` for ambiguous candidates; `!` for what is outside;
`-` for unresolved.
"""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Site, Status
from everdex.graph.names.resolver import RESOLVER
from support.names import FIXTURES, LANGUAGES, MemoryWorld, differing, load

MARKS = {"bash": "#>", "lua": "-->", "ruby": "#>"}


def _written(path: str, site: Site) -> str:
    targets = "|".join(
        target.key if target.path == path else f"{target.path}::{target.key}" for target in site.targets
    )
    return {
        Status.RESOLVED: targets,
        Status.AMBIGUOUS: f"?{targets}",
        Status.EXTERNAL: "!",
        Status.UNRESOLVED: "-",
    }[site.status]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_call_site_leads_where_its_line_says(language: str) -> None:
    """Each call is found and answered as written beside it, and no line promises a call that is not found."""
    files = load(FIXTURES / language)
    world = MemoryWorld(files)
    resolution = RESOLVER.open(world)
    mark = MARKS.get(language, "//>")
    wrong: list[str] = []
    cases = 0
    for path in world.paths:
        if not world.facts(path):
            continue
        found: dict[int, list[str]] = {}
        for site in resolution.resolve(path).sites:
            if site.role is Role.CALL:
                found.setdefault(site.line, []).append(_written(path, site))
        said, differs = differing(path, files[path], f" {mark} ", found)
        cases += said
        wrong += differs
    assert wrong == []
    assert cases >= 8
