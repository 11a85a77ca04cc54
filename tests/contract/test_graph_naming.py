"""Which definition is meant: by a name, a place, an id or a class that inherits it; what is said of none or several."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.errors import QueryError
from support.graphs import Ask, asker, places_of
from support.stores import synced


@pytest.mark.parametrize(
    ("asked", "path", "line"),
    [
        ("load", "core.txt", 2),
        ("core.load", "core.txt", 2),
        ("core::load", "core.txt", 2),
        ("core#load()", "core.txt", 2),
        ("core.load(String, int)", "core.txt", 2),
        ("(*core).load", "core.txt", 2),
        ("core.txt::load(x)", "core.txt", 2),
        ("core.txt::load", "core.txt", 2),
        ("core.txt:2", "core.txt", 2),
        ("core.txt:3", "core.txt", 2),
        ("core.txt:6:2", "core.txt", 5),
        ("core.txt:1", "core.txt", 1),
        ("core.txt", "core.txt", 1),
        ("core", "core.txt", 1),
    ],
)
def test_a_symbol_can_be_named_in_many_ways(ask: Ask, asked: str, path: str, line: int) -> None:
    """By name, qualified name, place, file and name, or file."""
    symbol = ask("refs", asked)["symbol"]
    assert (symbol["path"], symbol["start_line"]) == (path, line)


def test_an_id_from_an_answer_names_the_symbol(ask: Ask) -> None:
    """symbolId, scopedId and symbolKey of one answer work in the next."""
    envelope = ask("refs", "load")["symbol"]["symbol"]
    for name in ("symbolId", "scopedId", "symbolKey"):
        assert ask("refs", envelope[name])["symbol"]["symbol"] == envelope
    assert ask("refs", "sid:v1:sha1:" + "0" * 40)["symbol"] is None


def test_several_matches_are_listed_and_nothing_else_is_said(tmp_path: Path, toy: None) -> None:
    """Redefinitions and same names elsewhere: all of them, as candidates; no list of uses of any."""
    ask = asker(synced(tmp_path / "tree", {"a.txt": "def f(x)\ndef f(x)\n", "b.txt": "def f()\n"}))
    answer = ask("callers", "f")
    assert (answer["symbol"], "callers" in answer) == (None, False)
    places = [(item["path"], item["start_line"]) for item in answer["matches"]]
    assert places == [("a.txt", 1), ("a.txt", 2), ("b.txt", 1)]
    candidates = answer["resolution"]["candidates"]
    assert (answer["resolution"]["status"], len({item["scopedId"] for item in candidates})) == ("ambiguous", 3)
    assert len({item["symbolKey"] for item in candidates}) == 2


def test_five_thousand_symbols_of_one_name(tmp_path: Path, toy: None) -> None:
    """Bounded: fifty are listed or as many as are wanted, the others counted; one of them can still be asked for."""
    ask = asker(synced(tmp_path / "tree", {f"m{n}.txt": "def same()\n" * 250 for n in range(20)}))
    answer = ask("refs", "same")
    assert (len(answer["matches"]), answer["matches_omitted"]) == (50, 4_950)
    few = ask("refs", "same", limit=3)
    assert (len(few["matches"]), few["matches_omitted"], len(few["resolution"]["candidates"])) == (3, 4_997, 3)
    assert ask("refs", "m7.txt:31")["symbol"]["start_line"] == 31


@pytest.mark.parametrize(
    "asked",
    ["nothing", "a.b.c", "core.txt::nothing", "core.txt:99", "no/such.txt:1", ":3", "::", "*", "\0", "é", "more\0"],
)
def test_an_unknown_symbol_is_nothing_found(ask: Ask, asked: str) -> None:
    """No symbol, no matches, no error."""
    answer = ask("callers", asked)
    assert (answer["symbol"], answer["matches"]) == (None, [])


@pytest.mark.parametrize("asked", ["", "  ", "x" * 2_000])
def test_an_impossible_name_is_refused(ask: Ask, asked: str) -> None:
    """Before anything is resolved."""
    with pytest.raises(QueryError, match="name is"):
        ask("refs", asked)


def test_a_path_outside_the_graph_is_explained(tmp_path: Path, toy: None) -> None:
    """Not indexed, or in a language nobody resolves: the warning says which."""
    ask = asker(synced(tmp_path / "tree", {"a.txt": "def f()\n", "doc/x.md": "# X\n"}))
    assert "not resolved" in ask("refs", "doc/x.md:1")["warnings"][0]
    assert "no indexed file" in ask("refs", "doc/y.md::f")["warnings"][0]


def test_ids_survive_shifts_body_edits_and_moves(tmp_path: Path, toy: None) -> None:
    """Lines above, another body, another order in the file: the same symbolId; another signature: another one."""
    made = synced(tmp_path / "tree", {"a.txt": "def f(x)\ncall g\ndef g()\n"})
    ask = asker(made)
    before = ask("refs", "f")["symbol"]["symbol"]["symbolId"]
    for text in ("\n\n\ndef f(x)\ncall g\ndef g()\n", "def f(x)\ncall lib.a\ncall lib.b\n", "def g()\ndef f(x)\n"):
        made.write({"a.txt": text})
        assert ask("refs", "f")["symbol"]["symbol"]["symbolId"] == before
    made.write({"a.txt": "def f(x, y)\n"})
    after = ask("refs", "f")["symbol"]["symbol"]
    assert after["symbolId"] != before


def test_a_declaration_means_what_is_written_out(tmp_path: Path) -> None:
    """By name or at the header's line, a function of C++ has the callers of its body; overloads stay apart."""
    tree = {
        "a.h": "namespace n {\nclass A {\npublic:\n  int f(int x);\n  int f(int x, int y);\n virtual int g() = 0;\n};}",
        "a.cc": '#include "a.h"\nnamespace n {\nint A::f(int x) { return x; }\nint A::f(int x, int y) { return x; }\n}',
        "b.cc": '#include "a.h"\nnamespace n {\nint run(A* a) { return a->f(1) + a->g(); }\n}\n',
    }
    ask = asker(synced(tmp_path / "tree", tree))
    at_header = ask("callers", "a.h:4")
    assert (at_header["symbol"]["path"], at_header["symbol"]["name_line"]) == ("a.cc", 3)
    assert [item["name"] for item in at_header["callers"]] == ["run"]
    both = ask("callers", "A.f")["matches"]
    assert {(item["path"], item["name_line"]) for item in both} == {("a.cc", 3), ("a.cc", 4)}
    assert [item["name"] for item in ask("callers", "A.g")["callers"]] == ["run"]


_DECLARED = {
    "a.h": "int twice(int a);\nint twice_as(int a, int b);\n",
    "a.c": '#include "a.h"\nint twice(int a) { return a * 2; }\n',
    "b.c": '#include "a.h"\nextern int twice(int a);\nint run(void) { return twice(1); }\n',
    "c.c": "static int twice(int a);\nint own(void) { return twice(2); }\nstatic int twice(int a) { return a; }\n",
}


def test_a_macro_with_a_list_before_the_name_is_not_its_parameters(tmp_path: Path) -> None:
    """`void printflike(2, 3) report(…);` declares what is written out with three parameters: one definition."""
    files = {
        "log.h": (
            "#define printflike(a, b) __attribute__((format(printf, a, b)))\n"
            "struct item;\nvoid printflike(2, 3) report(struct item *, const char *, ...);\n"
        ),
        "log.c": '#include "log.h"\nvoid\nreport(struct item *i, const char *fmt, ...)\n{\n}\n',
        "use.c": '#include "log.h"\nvoid use(struct item *i) { report(i, "a"); }\n',
    }
    answer = asker(synced(tmp_path / "tree", files))("callers", "report")
    assert answer["matches"] == []
    assert answer["symbol"]["path"] == "log.c"
    assert [item["name"] for item in answer["callers"]] == ["use"]


def test_references_of_a_function_have_its_declarations(tmp_path: Path) -> None:
    """Where C declares it, in a header or beside a caller; what another file keeps to itself is another's."""
    ask = asker(synced(tmp_path / "tree", _DECLARED))
    shared, private = ask("refs", "a.c::twice"), ask("refs", "c.c::twice")
    assert places_of(shared["declarations"]) == [("a.h", 1), ("b.c", 2)]
    assert places_of(shared["references"]) == [("b.c", 3)]
    assert places_of(private["declarations"]) == [("c.c", 1)]
    assert places_of(private["references"]) == [("c.c", 2)]
    assert {item["role"] for item in shared["declarations"]} == {"definition"}


_INHERITED = {
    "python": (
        "a.py", "class Base:\n    def __init__(self, a):\n        pass\n\n\nclass Child(Base):\n    pass\n\n\n",
        "Child(1)\n",
    ),
    "dataclass": ("a.py", "class Child:\n    def __post_init__(self):\n        pass\n\n\n", "Child()\n"),
    "ruby": ("a.rb", "class Base\n  def initialize(a)\n  end\nend\nclass Child < Base\nend\n", "Child.new(1)\n"),
    "php": (
        "a.php", "<?php\nclass Base { public function __construct($a) {} }\nclass Child extends Base {}\n",
        "$x = new Child(1);\n",
    ),
    "swift": ("a.swift", "class Base { init(a: Int) {} }\nclass Child: Base {}\n", "let x = Child(a: 1)\n"),
    "typescript": ("a.ts", "class Base { constructor(a: number) {} }\nclass Child extends Base {}\n", "new Child(1)\n"),
}  # fmt: skip


@pytest.mark.parametrize("language", _INHERITED)
def test_a_class_with_an_inherited_constructor_has_callers(tmp_path: Path, language: str) -> None:
    """Whoever constructs it calls it, although what runs is another's; and that is called, too."""
    path, classes, call = _INHERITED[language]
    ask = asker(synced(tmp_path / "tree", {path: classes + call}))
    line = classes.count("\n") + 1
    answer = ask("callers", "Child")
    assert [places_of(item["sites"]) for item in answer["callers"]] == [[(path, line)]]
    assert answer["counts"]["resolved"] == 1
    assert (path, line) in places_of(ask("refs", "Child")["references"])
    if "Base" in classes:
        assert [places_of(item["sites"]) for item in ask("callers", "Base")["callers"]] == [[(path, line)]]
    plan = ask("rename", "Child", new="Heir")
    assert plan["edits"][-1]["line"] == line


_SIBLINGS = (
    "class Base:\n    def __init__(self, x):\n        pass\n\n    def run(self):\n        pass\n\n"
    "    @classmethod\n    def any(cls):\n        return cls(1)\n\n\n"
    "class One(Base):\n    def __init__(self):\n        super().__init__(1)\n\n"
    "    def run(self):\n        super().run()\n\n\n"
    "class Two(Base):\n    pass\n\n\n"
    "class Other(Base):\n    def __init__(self):\n        pass\n\n    def run(self):\n        pass\n\n\n"
    "def make():\n    return Two(2), Base(3)\n\n\n"
    "def call(base: Base):\n    base.run()\n"
)  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [("Other.__init__", {"Base.any"}), ("Other.run", {"call"}), ("Base.__init__", {"Base.any", "make"})],
)
def test_what_runs_another_class_is_not_affected(tmp_path: Path, symbol: str, expected: set[str]) -> None:
    """`super()` and a class that is named run what they say, never what replaces it elsewhere; `cls()` may."""
    ask = asker(synced(tmp_path / "tree", {"a.py": _SIBLINGS}))
    affected = ask("impact", symbol, depth=1)["affected"]
    relations = {item["qualified_name"].removeprefix("a."): item["way"][-1]["relation"] for item in affected}
    assert {name for name, relation in relations.items() if relation == "calls"} == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.php", "<?php\nclass Base {\n  public function __construct(int $x) {}\n"
         "  public static function any() { return new static(1); }\n}\n"
         "class Other extends Base { public function __construct(int $x) {} }\n"),
        ("a.rb", "class Base\n  def initialize(x)\n  end\n\n  def self.any\n    new(1)\n  end\nend\n\n"
         "class Other < Base\n  def initialize(x)\n  end\nend\n"),
    ],
)  # fmt: skip
def test_a_class_at_hand_may_be_one_below(tmp_path: Path, path: str, text: str) -> None:
    """Who constructs whatever class it is called on may run the constructor of any below."""
    ask = asker(synced(tmp_path / "tree", {path: text}))
    constructor = "Other.__construct" if path.endswith("php") else "Other.initialize"
    assert [item["name"] for item in ask("impact", constructor, depth=1)["affected"]] == ["any"]


@pytest.mark.parametrize("symbol", ["gone", "Box.gone", "a.py::gone"])
def test_a_name_that_nothing_defines_says_who_asks_for_it(tmp_path: Path, symbol: str) -> None:
    """After a definition has been renamed or removed, those who were left behind are not passed over in silence."""
    tree = {
        "a.py": "def here():\n    return 1\n\n\nclass Box:\n    pass\n",
        "b.py": "from a import gone\n\n\ndef run(x):\n    return x.gone() + x.here()\n",
    }
    ask = asker(synced(tmp_path / "tree", tree))
    ask("callers", "run")  # who asks is known once there is a graph
    said = "2 places ask for gone and lead to no definition; `everdex search --mode literal gone` finds them"
    assert said in ask("callers", symbol)["warnings"]
    assert ask("callers", "nowhere")["warnings"] == []


def test_definitions_of_one_name_are_listed_with_whose_they_are(tmp_path: Path) -> None:
    """A signature alone tells ten methods called `build` from each other as little as their name does."""
    files = {
        "a.rs": "pub struct Walk;\npub struct Maker;\nimpl Maker {\n    pub fn build(&self) -> Walk { Walk }\n}\n"
        "impl Walk {\n    pub fn build() -> Walk { Walk }\n}\n",
        "go.mod": "module m\n",
        "b.go": "package m\ntype Tree struct{}\nfunc (t Tree) build() {}\n",
        "c.ts": "export class Menu { build(): void {} }\n",
        "d.py": "class Plan:\n    def build(self):\n        pass\n",
    }
    listed = asker(synced(tmp_path / "tree", files))("callers", "build")["matches"]
    assert [item["text"] for item in listed] == [
        "Maker: pub fn build(&self) -> Walk", "Walk: pub fn build() -> Walk", "func (t Tree) build()",
        "Menu: build(): void", "Plan.build(self)",
    ]  # fmt: skip
