"""Go's interfaces: what has their methods, however many others have methods of the same name."""

from __future__ import annotations

from everdex.graph.model import Role, Status
from support.names import graphs_of, sites_of

MODULE = {"go.mod": b"module example.com/m\n"}


def _closers(count: int) -> dict[str, bytes]:
    return {
        f"a{number:03}/x.go": b"package x\ntype Own struct{}\nfunc (o *Own) Close() error { return nil }\n"
        for number in range(count)
    }


STORE = (
    b"package z\ntype Reader interface {\n  Close() error\n  Read(at int) string\n}\n"
    b"type file struct{}\nfunc (f *file) Close() error { return nil }\n"
    b"func (f *file) Read(at int) string { return \"\" }\n"
    b"type other struct{}\nfunc (o *other) Close() error { return nil }\n"
    b"func (o *other) Read(from, to int) string { return \"\" }\n"
    b"func use(r Reader) {\n  r.Close()\n}\n"
)


def test_a_common_name_hides_no_interface() -> None:
    """A method says which interface's it is, though dozens of types have one of the name, in files before it."""
    graph = graphs_of({**MODULE, **_closers(60), "z/z.go": STORE})["z/z.go"]
    replaced = {
        (graph.nodes[site.source].key, target.key)
        for site in sites_of(graph, Role.OVERRIDE)
        for target in site.targets
    }
    assert replaced == {("file.Close", "Reader.Close"), ("file.Read", "Reader.Read")}


def test_a_call_through_an_interface_leads_to_all_that_have_it_or_to_none() -> None:
    """Never to some of them because the others come later in the tree; what takes something else has it not."""
    graph = graphs_of({**MODULE, **_closers(60), "z/z.go": STORE})["z/z.go"]
    call = next(site for site in sites_of(graph, Role.CALL) if site.text == "r.Close")
    assert call.status is Status.RESOLVED
    assert {target.key for target in call.targets} == {"Reader.Close", "file.Close"}
    crowd = graphs_of({**MODULE, **_closers(400), "z/z.go": STORE})["z/z.go"]
    call = next(site for site in sites_of(crowd, Role.CALL) if site.text == "r.Close")
    assert {target.key for target in call.targets} == {"Reader.Close"}


def test_what_a_struct_embeds_is_named_by_its_type() -> None:
    """A key of a literal and a field of that name refer to the type: whoever renames it has to change them."""
    source = (
        b"package a\ntype Base struct{ Name string }\ntype Log struct{}\n"
        b"type Child struct {\n  Base\n  *Log\n  own int\n}\n"
        b"func f() {\n  c := Child{Base: Base{}, Log: nil, own: 1}\n  c.Log = nil\n  _ = c.Base.Name\n"
        b"  _ = [][]Child{{{own: 1, Base: Base{}}}}\n}\n"
    )
    graph = graphs_of({**MODULE, "a.go": source})["a.go"]
    named = {
        (site.line, site.column, target.key)
        for site in sites_of(graph, Role.REFERENCE)
        for target in site.targets
        if target.key in ("Base", "Log")
    }
    assert named == {(10, 13, "Base"), (10, 27, "Log"), (11, 4, "Log"), (12, 8, "Base"), (13, 26, "Base")}
    written = [(site.line, target.key) for site in sites_of(graph, Role.WRITE) for target in site.targets]
    assert written == [(10, "Child.own"), (13, "Child.own")]


def test_many_cases_of_a_switch_cost_their_number() -> None:
    """Each case has its own type, however many there are."""
    cases = b"".join(b"  case *T%d:\n    v.run()\n" % number for number in range(2_000))
    head = b"package a\ntype T7 struct{}\nfunc (t *T7) run() {}\nfunc f(x any) {\n  switch v := x.(type) {\n"
    graph = graphs_of({**MODULE, "a.go": head + cases + b"  }\n}\n"})["a.go"]
    resolved = [site.line for site in sites_of(graph, Role.CALL) if site.status is Status.RESOLVED]
    assert resolved == [5 + 2 * 8]


def test_a_package_outside_is_called_like_a_part_of_its_path() -> None:
    """`github.com/gogs/git-module` is `git`; its functions are no candidates for what the root has of their names."""
    files = {
        "go.mod": b"module x\n",
        "conf/conf.go": b"package conf\nfunc Init() {}\n",
        "web/web.go": (
            b'package web\nimport "github.com/gogs/git-module"\nfunc f() {\n\tgit.Init()\n\thg.Init()\n}\n'
        ),
    }
    calls = sites_of(graphs_of(files)["web/web.go"], Role.CALL)
    assert [(site.text, site.status) for site in calls] == [
        ("git.Init", Status.EXTERNAL), ("hg.Init", Status.AMBIGUOUS),
    ]  # fmt: skip
