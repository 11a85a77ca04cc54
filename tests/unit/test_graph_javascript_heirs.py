"""What is below a class or type is all of it, or is said not to be; and looking for it is bounded."""

from __future__ import annotations

import pytest

from everdex.graph.javascript import members
from everdex.graph.javascript.engine import Engine
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value
from everdex.graph.model import Role, Status
from support.javascript import MemoryWorld


def _heirs(count: int, body: str) -> dict[str, bytes]:
    return {
        f"h{at:03}.ts": f"import {{ Base }} from './base'\nexport class H{at} extends Base {{ {body} }}\n".encode()
        for at in range(count)
    }


def _status(files: dict[str, bytes], text: str) -> tuple[Status, set[str]]:
    sites = MemoryWorld(files).graphs()["use.ts"].sites
    (site,) = [site for site in sites if site.role is Role.CALL and site.text == text]
    return site.status, {target.path for target in site.targets}


@pytest.mark.parametrize(("count", "status"), [(24, Status.RESOLVED), (25, Status.AMBIGUOUS), (41, Status.AMBIGUOUS)])
def test_what_is_cut_is_not_said_to_be_all(count: int, status: Status) -> None:
    """A set of implementations is whole, or ambiguous: by number of classes and of files, also below a body."""
    use = b"import { Base } from './base'\nexport const use = (base: Base) => base.run()\n"
    for run in ("abstract run(): void", "run() {}"):
        base = f"export abstract class Base {{ {run} }}\n".encode()
        assert _status({"base.ts": base, "use.ts": use, **_heirs(count, "run() {}")}, "base.run")[0] is status


def test_a_method_that_few_of_many_classes_replace_is_found_by_its_name() -> None:
    """However many classes are below: the one that has the method is called, and it is all of them."""
    files = {
        "base.ts": b"export class Base { run() {} }\n",
        "use.ts": b"import { Base } from './base'\nexport const use = (base: Base) => base.run()\n",
        "one.ts": b"import { H7 } from './h007'\nexport class One extends H7 { run() {} }\n",
        **_heirs(60, "rest() {}"),
    }
    assert _status(files, "base.run") == (Status.RESOLVED, {"base.ts", "one.ts"})


def test_a_union_of_more_types_than_are_kept_is_ambiguous() -> None:
    """What was cut off leaves its mark also where a type is stated."""
    for count, status in ((12, Status.RESOLVED), (13, Status.AMBIGUOUS)):
        classes = "".join(f"class C{number} {{ run() {{}} }}\n" for number in range(count))
        union = " | ".join(f"C{number}" for number in range(count))
        text = f"{classes}export const use = (base: {union}) => base.run()\n"
        assert _status({"use.ts": text.encode()}, "base.run")[0] is status


def test_long_chains_of_classes_are_followed_to_the_end() -> None:
    """The sixth class below counts as the first does."""
    chain = "".join(f"class C{number} extends C{number - 1} {{ }}\n" for number in range(1, 7))
    last = "class Last extends C6 { run() {} }\nexport const go = (c: C0) => c.run()\n"
    text = f"class C0 {{ run() {{}} }}\n{chain}{last}"
    sites = MemoryWorld({"use.ts": text.encode()}).graphs()["use.ts"].sites
    found = [target.key for site in sites if site.role is Role.CALL for target in site.targets]
    assert found == ["C0.run", "Last.run"]


def test_objects_that_are_given_each_other_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often `Object.assign` leads from one to the next: in proportion to the calls, not to the ways."""
    names = "abcdefgh"
    lines = [f"const {name} = {{ {name}0: () => {{}} }}" for name in names]
    lines += [f"Object.assign({name}, {', '.join(names.replace(name, ''))})" for name in names]
    lines += [f"{name}.gone()" for name in names]
    asked = 0
    find = members.find

    def counted(engine: Engine, value: Value, name: str, fuel: int) -> tuple[Slot, ...]:
        nonlocal asked
        asked += 1
        assert asked < 20_000
        return find(engine, value, name, fuel)

    monkeypatch.setattr(members, "find", counted)
    MemoryWorld({"use.ts": "\n".join(lines).encode()}).graphs()


@pytest.mark.parametrize("inherits", [
    "Text.prototype = Object.create(Base.prototype)", "Text.prototype = new Base()",
    "require('util').inherits(Text, Base)", "Object.setPrototypeOf(Text.prototype, Base.prototype)",
])  # fmt: skip
def test_what_inherits_by_prototypes_may_run_in_place_of_a_method(inherits: str) -> None:
    """`this` of a function's prototype may be of one below, however that says so and whatever the base is called there;
    what `new` makes is of no other."""
    files = {
        "base.js": b"function Type() {}\nType.prototype.cast = function() {}\n"
        b"Type.prototype.run = function() { this.cast() }\nmodule.exports = Type\n",
        "text.js": f"const Base = require('./base')\nfunction Text() {{}}\n{inherits}\n"
        "Text.prototype.cast = function() {}\n".encode(),
        "one.js": b"const Plain = require('./base')\nclass One extends Plain { cast() {} }\n",
        "new.js": b"const Base = require('./base')\nnew Base().cast()\n",
    }
    graphs = MemoryWorld(files).graphs()
    (run,) = [site for site in graphs["base.js"].sites if site.role is Role.CALL and site.text == "this.cast"]
    assert {target.path for target in run.targets} == {"base.js", "text.js", "one.js"}, run
    assert run.status is Status.RESOLVED
    (made,) = [site for site in graphs["new.js"].sites if site.role is Role.CALL and site.text.endswith("cast")]
    assert [target.path for target in made.targets] == ["base.js"]


def test_a_type_that_is_one_of_many_says_only_what_it_names() -> None:
    """However much else an alias may be: of what it names it leaves no doubt."""
    classes = "".join(f"class C{number} {{ }}\n" for number in range(14))
    union = " | ".join(f"C{number}" for number in range(14))
    base = "interface Base { run(): void }\nclass One implements Base { run() {} }\n"
    text = f"{base}{classes}type Any = {union} | Base\nexport const use = (base: Base) => base.run()\n"
    assert _status({"use.ts": text.encode()}, "base.run")[0] is Status.RESOLVED


def _handing(count: int) -> dict[str, bytes]:
    return {
        f"h{at:03}.ts": b"import { take } from './use'\ntake({ store: { run() {} } })\n" for at in range(count)
    }


@pytest.mark.parametrize(("count", "status"), [(30, Status.RESOLVED), (41, Status.AMBIGUOUS)])
def test_literals_that_are_handed_over_implement_what_is_asked_for(count: int, status: Status) -> None:
    """A literal need not say of which type it is: all that are handed over run, or there may be more."""
    use = """
        export interface Named { name: string }
        export interface Store { run(): void }
        export interface Other extends Store, Named { }
        class Real implements Store { run() {} }
        export function take(options: { store: Store }, other?: Other) { return new Holder(options.store) }
        class Holder { constructor(private store: Store) {}
          go() { this.store.run() } }
    """
    more = "import { take } from './use'\ntake({ store: null }, { name: '', run: () => {} })\nfoo({ run() {} })\n"
    found, paths = _status({"use.ts": use.encode(), "more.ts": more.encode(), **_handing(count - 1)}, "this.store.run")
    assert found is status
    if status is Status.RESOLVED:
        assert len(paths) == 2 + count - 1


@pytest.mark.parametrize(("given", "reason"), [("other.run", "untyped value"), ("null", ""), ("() => {}", "")])
def test_a_literal_that_is_handed_something_unknown_leaves_a_call_open(given: str, reason: str) -> None:
    """The call runs what is known, and says that there may be more."""
    text = f"""
        interface Store {{ run(): void }}
        class Holder {{ store: Store; go() {{ this.store.run() }} }}
        declare function take(store: Store): void
        export function all(other: any) {{ take({{ run() {{}} }}); take({{ run: {given} }}) }}
    """
    graph = MemoryWorld({"main.ts": text.encode()}).graphs()["main.ts"]
    (site,) = (site for site in graph.sites if site.text == "this.store.run" and site.role is Role.CALL)
    assert (site.status, site.reason) == (Status.RESOLVED, reason)


@pytest.mark.parametrize("count", [3, 15])
def test_a_declared_member_is_what_its_type_says_however_many_literals_are_handed_over(count: int) -> None:
    """Too many literals to follow leave what is declared, and whoever has the method."""
    calls = "".join(f"take({{ day: new Date(), run() {{ return {at} }} }});\n" for at in range(count))
    text = f"""
        export function take(given: {{ day: Date; run(): number }}) {{ given.day.getTime(); given.run() }}
        {calls}
    """
    graph = MemoryWorld({"main.ts": text.encode()}).graphs()["main.ts"]
    found = {site.text: site for site in graph.sites if site.role is Role.CALL}
    assert found["given.day.getTime"].status is Status.EXTERNAL
    assert (found["given.run"].status, len(found["given.run"].targets)) == (Status.RESOLVED, count)
