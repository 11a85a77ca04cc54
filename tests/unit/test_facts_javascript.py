"""What the JavaScript extractor says of one file, read back through the stored form."""

from __future__ import annotations

import pytest

from everdex.facts import facts_of, javascript_model
from everdex.facts.javascript_model import Facts, decode, unpack
from everdex.graph.javascript.files import File
from everdex.parse import trees_of


def _stored(text: str, path: str = "a.ts") -> bytes:
    data = text.encode()
    return facts_of(path, trees_of(path, data), data)


def _facts(text: str, path: str = "a.ts") -> Facts:
    return decode(_stored(text, path))


def _keys(text: str, path: str = "a.ts") -> dict[str, str]:
    file = File(path, _stored(text, path))
    return {key: node.kind for key, node in zip(file.keys, file.facts.nodes, strict=True)}


def _calls(text: str, path: str = "a.ts") -> int:
    return sum(mention.role in "cn" for mention in unpack(_facts(text, path).mentions))


def test_the_first_byte_names_the_family() -> None:
    """Stored facts begin with the letter of the extractor that wrote them."""
    assert _stored("f()")[:1] == javascript_model.FAMILY


@pytest.mark.parametrize("path", ["a.js", "a.jsx", "a.mjs", "a.ts", "a.tsx", "a.vue", "a.html"])
def test_every_language_of_the_family_has_facts(path: str) -> None:
    """Scripts and documents with a script are read alike."""
    text = "function f() {}"
    assert "f" in _keys(text if path[-1] in "sx" else f"<script>{text}</script>", path)


def test_definitions_are_named_by_what_contains_them() -> None:
    """Keys chain the names around a definition; functions take the name they are bound to."""
    found = _keys(
        """
        const arrow = () => {};
        const api = { get() {}, set: function () {}, deep: { er: () => {} } };
        class C { m() {} f = () => {}; static s() {} #p() {} constructor() {} x = 1 }
        function outer() { function inner() {} const local = { go() {} }; }
        C.prototype.late = function () {};
        interface I { a: string; b(): void }
        type T = { c: number };
        enum E { A, B = 2 }
        namespace N { export function n() {} }
        let plain = 1;
        exports.out = function () {};
        """
    )
    assert found == {
        "": "module", "arrow": "function", "api": "variable", "api.get": "method", "api.set": "method",
        "api.deep": "property", "api.deep.er": "method",
        "C": "class", "C.m": "method", "C.f": "method", "C.s": "method", "C.#p": "method",
        "C.constructor": "method", "C.x": "field", "outer": "function", "outer.inner": "function",
        "outer.local.go": "method", "C.late": "method", "I": "interface", "I.a": "property", "I.b": "method",
        "T": "type", "T.c": "property", "E": "enum", "E.A": "member", "E.B": "member", "N": "namespace",
        "N.n": "function", "plain": "variable", "out": "function",
    }  # fmt: skip


def test_functions_without_a_name_are_numbered_in_their_scope() -> None:
    """Lambdas count from one in source order within the definition around them."""
    found = _keys("run(() => {}); run(function () { run(() => {}); }); function f() { return () => {}; }")
    assert [key for key in found if key] == ["<lambda1>", "<lambda2>", "<lambda2>.<lambda1>", "f", "f.<lambda1>"]


def test_a_second_definition_of_a_name_is_another_one() -> None:
    """Redefinitions have keys of their own, and so have the signatures of a function."""
    assert list(_keys("function f() {} function f() {}")) == ["", "f", "f~2"]
    signatures = "function f(a: string): void; function f(a: number): void; "
    assert list(_keys(signatures + "function f(a: any) {}")) == ["", "f", "f~2", "f~3"]


def test_a_syntax_error_hides_nothing_outside_it() -> None:
    """Broken code taints the facts, and the definitions before and after it are there."""
    facts = _facts("function before() { one(); }\nclass { ((( \nfunction after() { two(); }\n")
    assert facts.partial
    assert {"before", "after"} <= {node.name for node in facts.nodes}
    assert not _facts("function whole() {}").partial


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("f(" * 3_000 + ")" * 3_000, 3_000),
        ("a" + ".b()" * 3_000, 3_000),
        ("x = " + "(() => " * 2_000 + "f()" + ")" * 2_000, 1),
        ("x = " + "[" * 2_000 + "f()" + "]" * 2_000, 1),
        ("x = " + "{a:" * 2_000 + "f()" + "}" * 2_000, 1),
        ("{" * 2_000 + "f()" + "}" * 2_000, 1),
        ("x = " + "a + " * 5_000 + "f()", 1),
        ("x = " + "a || " * 5_000 + "f()", 1),
        ("if (a) f(); else " * 2_000 + "f()", 2_001),
        ("x = " + "a ? b : " * 2_000 + "f()", 1),
        ("x = " + "<A>" * 500 + "</A>" * 500, 500),
        ("const " + "{a:" * 2_000 + "b = f()" + "}" * 2_000 + " = g()", 2),
        ("function h(" + "[" * 2_000 + "b = f()" + "]" * 2_000 + ") {}", 1),
    ],
    ids=[
        "calls", "chain", "arrows", "arrays", "objects", "blocks", "sum", "or", "else", "ternary", "jsx", "taken apart",
        "parameters",
    ],
)
def test_deep_nesting_loses_no_call(text: str, calls: int) -> None:
    """However deeply code is nested, every call in it is mentioned."""
    assert _calls(text, "a.jsx") == calls


def test_keys_of_what_is_inside_each_other_without_end_are_bounded() -> None:
    """Ten thousand functions, each in the one before, are ten thousand definitions, and no key grows with them."""
    keys = _keys("class A { f = " + "a => " * 10_000 + "a }")
    assert len(keys) == 10_000 + 2
    assert max(map(len, keys)) < 1_100


@pytest.mark.parametrize("text", ["`" * 100_000, "`${" * 50_000 + "a" + "}`" * 50_000])
def test_texts_inside_each_other_without_end_are_read_once(text: str) -> None:
    """What is around each of them is known on the way there: this test would take many minutes otherwise."""
    assert _stored(f"x={text}")


def test_deep_types_are_bounded() -> None:
    """Types nested without measure are read as far as is useful."""
    assert _facts("let a: " + "Array<" * 2_000 + "X" + ">" * 2_000 + "; f()").nodes
    assert _facts("type U = " + " | ".join(f"T{i}" for i in range(5_000))).types


@pytest.mark.parametrize(
    "text",
    [
        "/** " + "@param {A " * 20_000 + "*/ f();",
        "/** @type {" + "{" * 20_000 + "} */ f();",
        "/** @type {A} */" * 20_000 + "f();",
        "/** " + "@import a " * 20_000 + "*/ f();",
        "/** @type {" + "Array<" * 600 + "X" + ">" * 600 + "} */ f();",
        "/** @type {import(" * 5_000 + "*/ f();",
        "/** @typedef {A} A */ /** @typedef {B|A} A */ /** @type {A} */ f();",
    ],
    ids=["unclosed", "braces", "many", "imports", "deep", "modules", "itself"],
)
def test_comments_that_make_no_sense_are_read_in_passing(text: str) -> None:
    """Whatever a comment says in place of types, the code after it is read."""
    assert _calls(text, "a.js") == 1


def test_names_in_comments_are_mentioned_nowhere() -> None:
    """A type in a comment is taken and is no site; TypeScript's files state theirs elsewhere."""
    text = "/** @typedef {import('./a').A} A */\n/** @param {A} a */\nfunction f(a) { a.b(); }\n"
    facts = _facts(text, "a.js")
    assert [text[each.start : each.end] for each in unpack(facts.mentions)] == ["b"]
    assert not facts.imports
    assert facts.functions[0].parameters[0][1]
    assert not _facts(text, "a.ts").functions[0].parameters[0][1]


def test_mentions_survive_packing() -> None:
    """What is stored as differences reads back as places in order."""
    text = "import { a } from './a';\na(b, new C());\n"
    found = [(text[mention.start : mention.end], mention.role) for mention in unpack(_facts(text).mentions)]
    assert found == [("a", "i"), ("'./a'", "i"), ("a", "c"), ("C", "n")]


def test_unicode_names_have_places_in_bytes() -> None:
    """Names outside ASCII are found where their bytes are."""
    text = "const größe = () => {};\n/* é */ größe();\n"
    (call,) = [mention for mention in unpack(_facts(text).mentions) if mention.role == "c"]
    assert text.encode()[call.start : call.end].decode() == "größe"


def test_private_and_local_definitions_are_not_public() -> None:
    """Exported definitions and what they contain are public, except what is marked private."""
    facts = _facts(
        "export class C { private a() {} #b() {} c() {} }\nfunction hidden() {}\nexport { later };\nfunction later() {}"
    )
    public = {node.name for node in facts.nodes[1:] if node.public}
    assert public == {"C", "c", "later"}


@pytest.mark.parametrize(("text", "partial"), [
    ("const Box = styled.div<{ wide: boolean }>`a ${b}`;", False), ("sql<User[]>`select`;", False),
    ("const Box = styled.div<{ wide: boolean }>`a ${b +}`;", True), ("const Box = a<{ b: = }>`c`;", True),
    ("const Box = styled.div<{ wide: boolean }>`a`; class {", True),
])  # fmt: skip
def test_a_tag_that_is_given_types_is_no_error(text: str, partial: bool) -> None:
    """What only the grammar lacks taints nothing; an error beside it, or in it, does."""
    assert _facts(text, "a.tsx").partial is partial


def test_an_arrow_function_ends_behind_the_template_that_it_gives() -> None:
    """The grammar ends one before the template of a tag with types."""
    text = "const find = (id: string) => sql<Row>`id = ${key(id)}`;"
    (found,) = _facts(text).nodes[1:]
    assert (found.name, found.kind, text[found.start : found.end][-2:]) == ("find", "function", "}`")
