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
