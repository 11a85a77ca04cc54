"""The explorer as people get it: one HTML file, checked by its bytes, and in a browser where there is one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import everdex as package
from everdex import limits
from everdex.canvas.explorer.seal import is_whole
from support.commands import everdex
from support.processes import PATIENCE_S
from support.trees import tree

SHOP = {
    "shop/__init__.py": "",
    "shop/stock/__init__.py": "from shop.stock.shelf import Shelf\n",
    "shop/stock/shelf.py": (
        "from shop.money import price\n\n\n"
        'class Shelf:\n    """Holds what is sold."""\n\n'
        "    def take(self, count: int) -> int:\n        return price(count)\n"
    ),
    "shop/money.py": (
        "from shop import till\n\n\n"
        'def price(count: int) -> int:\n    """What so many cost."""\n    return count\n\n\n'
        "def receipt(handler) -> str:\n    handler.print_it()\n    return till.sell(1) or handler.price()\n"
    ),
    "shop/till.py": (
        "from shop.stock import Shelf\nfrom shop.money import price\n\n\n"
        "def sell(count: int) -> int:\n    return Shelf().take(count) + price(1)\n\n\n"
        "def main() -> int:\n    return sell(1)\n"
    ),
    "tests/test_till.py": "from shop.till import sell\n\n\ndef test_sell():\n    assert sell(1) == 2\n",
    "README.md": "# Shop\n",
}
EVIL = "</script><img src=x onerror=document.title='owned'>"
HOSTILE = {
    f"shop/{EVIL.replace('/', '%')}.py": "def safe_one():\n    return 1\n",
    "shop/turned \u202egnp.py": 'def turned():\n    """\u202e<b>bold</b> </script>"""\n    return "<!--<script>"\n',
    "shop/user.py": "from shop import other  # </script><script>document.title='owned'</script> \u202e\n\n\n"
    "def use():\n    return other.used()\n",
    "shop/other.py": f'def used():\n    """{EVIL}"""\n',
    "shop/__init__.py": "",
}
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser here")


class _Elements(HTMLParser):
    """Which elements a document has, with their attributes, and which text lies in scripts."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside].append(data)


def _data(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


def _shown(page: Path, place: str = "") -> str:
    """The document as a browser has it after the script ran."""
    assert BROWSER is not None
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom",
         f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=3000", f"{page.as_uri()}{place}"],
        capture_output=True, text=True, check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    return done.stdout


def _panel(document: str) -> str:
    return document.partition('<section id="panel"')[2].partition("</section>")[0]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree(tmp_path_factory.mktemp("explorer") / "shop", SHOP, git=True)


@pytest.fixture(scope="module")
def page(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("page") / "shop.html"
    done = everdex("explore", "-o", output, cwd=project)
    assert done.code == 0, done.err
    assert done.lines == [str(output)]
    return output


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tree(tmp_path_factory.mktemp("hostile") / "<b>shop", HOSTILE)
    output = tmp_path_factory.mktemp("page") / "evil.html"
    done = everdex("explore", root, "-o", output)
    assert done.code == 0, done.err
    return output


# -- what the page is ----------------------------------------------------------------------------


def test_the_policy_names_the_one_script_and_the_one_style(page: Path) -> None:
    """Everything else is refused by the document itself: connections, frames, images, other scripts."""
    elements = _Elements(page.read_text())
    policy = next(dict(attributes) for tag, attributes in elements.found if attributes.get("http-equiv"))
    digests = [
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (elements.raw["style"][0], elements.raw["script"][1])
    ]
    assert policy["content"] == (
        f"default-src 'none'; style-src '{digests[0]}'; script-src '{digests[1]}'; base-uri 'none'; form-action 'none'"
    )


def test_the_page_asks_for_nothing_from_elsewhere(page: Path) -> None:
    """No address, no link out of the page, no attribute that runs; script and style are small."""
    content = page.read_text()
    elements = _Elements(content)
    assert not re.search(r"https?://|@import|url\(", content)
    assert all(value is None or value.startswith("#") for _, some in elements.found for name, value in some.items()
               if name in ("href", "src", "xlink:href"))  # fmt: skip
    assert not any(name.startswith("on") or name == "style" for _, some in elements.found for name in some)
    assert len(elements.raw["script"][1]) + len(elements.raw["style"][0]) < 42_000


def test_nothing_a_repository_writes_becomes_markup(page: Path, hostile: Path) -> None:
    """Names, documentation and lines of source with tags in them add no element and end no script."""
    plain, evil = _Elements(page.read_text()), _Elements(hostile.read_text())
    assert {tag for tag, _ in evil.found} <= {tag for tag, _ in plain.found}
    assert len(evil.raw["script"]) == 2
    assert hostile.read_text().count("</script>") == 2
    assert not set("<>&") & set(evil.raw["script"][0])
    assert "\u202e" not in hostile.read_text()
    told = json.dumps(_data(hostile))
    assert "\\\\u202e" in told
    assert "turned \\\\u202egnp.py" in told
    assert "onerror=document.title='owned'>.py" in told


def test_the_page_says_of_what_it_is(project: Path, tmp_path: Path) -> None:
    """Digest, snapshot, when that was taken and how fresh it was; and that it is whole."""
    page = tmp_path / "shop.html"
    answer = everdex("explore", "--json", "-o", page, cwd=project).json
    told = _data(page)
    assert told["digest"] == answer["digest"]
    assert re.fullmatch(
        rf"digest {told['digest'][:16]} · snapshot {answer['snapshot_id']} · of \d{{4}}-\S+Z · fresh", told["caption"]
    )
    assert told["caption"] in page.read_text()
    assert is_whole(page.read_bytes())
    assert not is_whole(page.read_bytes().replace(b"Shelf", b"Shelv", 1))


def test_without_a_script_there_is_a_picture_and_a_list(page: Path) -> None:
    """Every link of the picture to a part or an edge ends at something in the list, and the list is nested."""
    elements = _Elements(page.read_text())
    names = {some["id"] for _, some in elements.found if "id" in some}
    links = {some["href"] for tag, some in elements.found if tag == "a" and str(some["href"]).startswith(("#p", "#e"))}
    assert "#part/shop%2Ftill.py" in links
    assert {str(link)[1:] for link in links} <= names
    assert "<b>till.py</b> 1 file, 10 lines" in page.read_text()


# -- what it tells -------------------------------------------------------------------------------


def _symbol(told: dict[str, Any], key: str) -> int:
    return next(place for place, row in enumerate(told["symbols"]) if row[1] == key)


def test_callers_are_those_of_the_graph(project: Path, page: Path) -> None:
    """Who calls a symbol, and where, is what `everdex callers` answers; what tests use is told by file."""
    told = _data(page)
    price = _symbol(told, "price")
    calls = {
        (told["files"][told["symbols"][user][0]][0], told["symbols"][user][1].rpartition(".")[2], flat[at + 3])
        for user, flat in enumerate(told["uses"])
        for at in range(0, len(flat), 4)
        if flat[at] == price and flat[at + 1] == 3  # certain, and a call
    }
    asked = everdex("callers", "price", "--json", cwd=project).json["callers"]
    assert calls == {(item["path"], item["name"], item["sites"][0]["line"]) for item in asked}
    assert len(calls) == 2
    sell = _symbol(told, "sell")
    tests = next(place for place, row in enumerate(told["files"]) if row[1] == "test")
    assert told["file_uses"][str(tests)][0] == sell


def test_symbols_have_their_signature_documentation_and_doubts(page: Path) -> None:
    """What is certain and what is not known stands with each symbol."""
    told = _data(page)
    row = told["symbols"][_symbol(told, "price")]
    assert row[2:7] == ["function", 4, 6, "price(count: int) -> int", "What so many cost."]
    assert row[12] == 1  # `handler.price()` may mean it
    assert told["symbols"][_symbol(told, "receipt")][11] == 2


def test_an_edge_has_its_places_and_their_text(page: Path) -> None:
    """Of two files that use each other the page names lines and shows what stands there."""
    told = _data(page)
    number = {row[0]: place for place, row in enumerate(told["files"])}
    tie = next(tie for tie in told["ties"] if tie[:2] == [number["shop/till.py"], number["shop/money.py"]])
    assert tie[2:] == [1, 1, [2, 6]]
    assert [number["shop/till.py"], 2, "from shop.money import price"] in told["texts"]


def test_cycles_are_named(page: Path) -> None:
    """Parts in a cycle, and which edge closes it."""
    told = _data(page)
    (cycle,) = told["cycles"]
    assert [told["parts"][part][1] for part in cycle] == ["money.py", "stock", "till.py"]
    assert sum(closes for *_, closes in told["edges"]) == 1


# -- how large it is -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        f"big/part{number % 7}/module{number}.py": "".join(
            f"def first_{number}_{place}(one, two):\n    return first_{number}_{max(0, place - 1)}(one, two)\n\n\n"
            for place in range(60)
        )
        for number in range(60)
    }
    return tree(tmp_path_factory.mktemp("large") / "big", files)


@pytest.mark.parametrize("most", [limits.MIN_PAGE_BYTES, 400_000])
def test_a_page_keeps_to_its_bound_and_counts_what_it_leaves_out(large: Path, tmp_path: Path, most: int) -> None:
    """Shown and omitted are all there is, nearly all the room is used, and users that are left out are counted."""
    output = tmp_path / "big.html"
    done = everdex("explore", large, "-o", output, "--max-bytes", most)
    told = _data(output)
    left = told["omitted"]["symbols"]
    assert most * 0.8 < output.stat().st_size <= most
    assert len(told["symbols"]) + left == 3_600
    assert left > 0
    assert sum(row[13] for row in told["symbols"]) > 0
    assert sum(row[4] for row in told["files"]) == 3_600
    held = f"60 files and {len(told['symbols']):,} symbols; no room for {left:,} symbols"
    assert done.err.endswith(f"{output.stat().st_size:,} bytes with {held}\n")


@pytest.mark.parametrize(
    "arguments",
    [["-o", "page.svg"], ["--max-bytes", "1000000"], ["--max-bytes", "10", "-o", "page.html"]],
)
def test_what_cannot_be_written_is_refused(project: Path, arguments: list[str]) -> None:
    """Another ending, another size for the canvas, a bound that nothing fits: exit code 2, and nothing is written."""
    assert everdex("explore", *arguments, cwd=project).code == 2
    assert not list(project.glob("page.*"))


def test_a_tree_without_code_has_a_page(tmp_path: Path) -> None:
    """Which says so."""
    root = tree(tmp_path / "empty", {"README.md": "# Nothing\n"})
    assert everdex("explore", root, "-o", tmp_path / "empty.html").code == 0
    assert "There is no source code to draw." in (tmp_path / "empty.html").read_text()


# -- the canvas ----------------------------------------------------------------------------------


def test_the_kept_page_is_the_same_for_the_same_digest(project: Path) -> None:
    """It shows nothing of the moment: kept twice, and in another snapshot of the same content, its bytes are equal."""
    first = everdex("explore", "--json", cwd=project).json
    path, latest = Path(first["canvas"]["path"]), Path(first["canvas"]["latest"])
    assert path.name == f"explorer.{first['digest']}.html"
    before = path.read_bytes()
    assert latest.read_bytes() == before
    everdex("index", "--rebuild", cwd=project)
    second = everdex("explore", "--json", cwd=project).json
    assert second["snapshot_id"] != first["snapshot_id"]
    assert (second["digest"], path.read_bytes()) == (first["digest"], before)
    assert everdex("explore", cwd=project).lines == [str(latest)]


def test_a_page_of_a_tree_that_moved_on_is_not_published(tmp_path: Path) -> None:
    """Whoever comes late keeps his page under its digest; the latest stays what it was, and the answer says why."""
    root = tree(tmp_path / "shop", SHOP, git=True)
    latest = Path(everdex("explore", "--json", root).json["canvas"]["latest"])
    before = latest.read_bytes()
    (root / "shop/till.py").write_text("def sell(count: int) -> int:\n    return 0\n")
    late = everdex("explore", "--json", "--no-sync", root).json
    assert (late["canvas"]["published"], late["canvas"]["latest"]) == (False, "")
    assert any("moved on: shop/till.py" in said for said in late["warnings"])
    assert latest.read_bytes() == before
    now = everdex("explore", "--json", root).json
    assert now["canvas"]["published"]
    assert latest.read_bytes() != before


def test_pages_are_collected_and_checked(tmp_path: Path) -> None:
    """`health` names a damaged page, `gc` removes those of snapshots that are gone and nothing that is not ours."""
    root = tree(tmp_path / "shop", SHOP)
    kept = Path(everdex("explore", "--json", root).json["canvas"]["path"])
    gone, own = kept.with_name(f"explorer.{'0' * 64}.html"), kept.with_name("notes.html")
    gone.write_bytes(kept.read_bytes())
    own.write_text("mine")
    kept.write_bytes(kept.read_bytes().replace(b"Shelf", b"Shelv", 1))
    checks = {check["code"]: check for check in everdex("health", "--json", root).json["checks"]}
    assert checks["pictures"]["details"]["damaged"] == [kept.name]
    everdex("gc", "--apply", root)
    assert (gone.exists(), kept.exists(), own.exists()) == (False, True, True)


def test_the_api_writes_pages(project: Path, tmp_path: Path) -> None:
    """To a file, or to the canvas; what is in it is in the answer."""
    with package.open(project, daemon=False) as index:
        found = index.explore(tmp_path / "shop.html", max_bytes=300_000)
        assert found.page.bytes == (tmp_path / "shop.html").stat().st_size
        assert found.page.shown["symbols"] == 6
        assert found.canvas is None
        kept = index.explore().canvas
        assert kept is not None
        assert Path(kept["latest"]).is_file()


# -- in a browser --------------------------------------------------------------------------------


@in_a_browser
def test_a_symbol_is_shown_by_its_address(page: Path) -> None:
    """The fragment names what is shown: signature, documentation, callers and impact; the picture marks its part."""
    shown = _shown(page, "#symbol/shop%2Fmoney.py/price")
    panel = _panel(shown)
    assert '<div class="code">price(count: int) -&gt; int</div><p>What so many cost.</p>' in panel
    assert 'href="#symbol/shop%2Ftill.py/sell"' in panel
    assert "2 steps" in panel
    assert re.search(r'<a href="#part/shop%2Fmoney.py" class="box on"', shown)


@in_a_browser
@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("", "Cycles"),
        ("#part/shop%2Ftill.py", "Public symbols"),
        ("#edge/shop%2Ftill.py/shop%2Fmoney.py", "from shop.money import price"),
        ("#tests/tests", "tests/test_till.py"),
        ("#part/%E0%A4%A", "Not in this page"),
    ],
)
def test_every_kind_of_place_is_shown(page: Path, place: str, told: str) -> None:
    """Overview, part, edge, file and tests; an address that is none says so."""
    assert told in _panel(_shown(page, place))


@in_a_browser
def test_hostile_text_stays_text(hostile: Path) -> None:
    """In a browser, too: no image, no second script, no title but ours."""
    name = "shop%2F" + EVIL.replace("/", "%").replace("%", "%25").replace("<", "%3C").replace(">", "%3E") + ".py"
    edge = "#edge/shop%2Fuser.py/shop%2Fother.py"
    pages = [_shown(hostile, place) for place in (f"#file/{name}", edge)]
    for shown in pages:
        assert 'class="live"' in shown
        assert "<img" not in shown
        assert shown.count("<script") == 2
        assert "<title>owned" not in shown
    assert "%script&gt;&lt;img" in _panel(pages[0])
    assert "&lt;/script&gt;&lt;script&gt;" in _panel(pages[1])
