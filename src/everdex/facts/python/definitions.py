"""Functions, lambdas and classes: their scopes, parameters, decorators, bases and signatures.

A body is not walked here but put on the file's list of bodies to walk, so that nesting of definitions costs no depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everdex.facts.python import model as m
from everdex.facts.python.expressions import Expressions
from everdex.parse.headers import one_line

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIGNATURE = 2_000


def _new(walk: Expressions, kind: int, name: str, node: Node, named: Node | None, signature: str) -> m.Scope:
    span = (named.start_byte, named.end_byte) if named is not None else (node.start_byte, node.start_byte)
    scope = m.Scope(
        kind, name, "", walk.scope, len(walk.bindings), node.start_byte, node.end_byte, node.end_byte, *span, signature,
        0, [], [], [], [], [], [], -1, [],
    )  # fmt: skip
    walk.scopes.append(scope)
    return scope


def _signature(walk: Expressions, first: Node | None, last: Node | None) -> str:
    """As written, on one line without comments."""
    if first is None:
        return ""
    end = last.end_byte if last is not None else first.end_byte
    return one_line(walk.data[first.start_byte : end], "python")[:_MAX_SIGNATURE]


def lambda_scope(walk: Expressions, node: Node, depth: int) -> int:
    parameters = node.child_by_field_name("parameters")
    signature = f"({_signature(walk, parameters, None)})"
    scope = _new(walk, m.LAMBDA_SCOPE, "<lambda>", node, None, signature)
    number = len(walk.scopes) - 1
    if parameters is not None:
        scope.params = _parameters(walk, parameters, depth)
    walk.deferred.append((node, number))
    return number


def function_scope(walk: Expressions, node: Node, depth: int) -> tuple[int, str]:
    named = node.child_by_field_name("name")
    parameters = node.child_by_field_name("parameters")
    returned = node.child_by_field_name("return_type")
    name = walk.named(named) if named is not None else ""
    scope = _new(walk, m.FUNCTION_SCOPE, name, node, named, _signature(walk, parameters, returned))
    number = len(walk.scopes) - 1
    if node.children and node.children[0].type == "async":
        scope.flags |= m.IS_ASYNC
    if parameters is not None:
        scope.params = _parameters(walk, parameters, depth)
    if returned is not None:
        scope.annotation = walk.annotation(returned, depth)
    body = node.child_by_field_name("body")
    if body is not None:
        scope.body = body.start_byte
        if _is_stub(walk, body):
            scope.flags |= m.IS_STUB
        walk.deferred.append((body, number))
    return number, name


def class_scope(walk: Expressions, node: Node, depth: int) -> tuple[int, str]:
    named = node.child_by_field_name("name")
    bases = node.child_by_field_name("superclasses")
    name = walk.named(named) if named is not None else ""
    scope = _new(walk, m.CLASS_SCOPE, name, node, named, _signature(walk, bases, None))
    number = len(walk.scopes) - 1
    for child in bases.named_children if bases is not None else ():
        kind = child.type
        if kind == "keyword_argument":
            parts = child.named_children
            scope.base_keywords.append([walk.named(parts[0]), walk.value(parts[-1], depth)])
        elif kind == "dictionary_splat":
            walk.value(child, depth)
        elif kind != "comment":
            scope.bases.append(walk.value(child, depth))
    body = node.child_by_field_name("body")
    if body is not None:
        scope.body = body.start_byte
        walk.deferred.append((body, number))
    return number, name


def _parameters(walk: Expressions, node: Node, depth: int) -> list[Any]:
    params: list[Any] = []
    keyword_only = False
    for child in node.children:
        kind = child.type
        if kind == "identifier":
            params.append([walk.named(child), m.KEYWORD_ONLY if keyword_only else m.POSITIONAL, -1, -1])
        elif kind in ("default_parameter", "typed_default_parameter", "typed_parameter"):
            param = _parameter(walk, child, depth, keyword_only)
            keyword_only = keyword_only or param[1] == m.ALL_POSITIONAL
            params.append(param)
        elif kind == "list_splat_pattern":
            keyword_only = True
            params.append([walk.named(child.named_children[-1]), m.ALL_POSITIONAL, -1, -1])
        elif kind == "dictionary_splat_pattern":
            params.append([walk.named(child.named_children[-1]), m.ALL_KEYWORDS, -1, -1])
        elif kind == "keyword_separator":
            keyword_only = True
        elif kind == "positional_separator":
            for param in params:
                param[1] = m.POSITIONAL_ONLY
    return params


def _parameter(walk: Expressions, node: Node, depth: int, keyword_only: bool) -> list[Any]:
    annotated = node.child_by_field_name("type")
    default = node.child_by_field_name("value")
    annotation = walk.annotation(annotated, depth) if annotated is not None else -1
    value = walk.value(default, depth) if default is not None else -1
    first = node.children[0]
    kind = m.KEYWORD_ONLY if keyword_only else m.POSITIONAL
    if first.type == "list_splat_pattern":
        first, kind = first.named_children[-1], m.ALL_POSITIONAL
    elif first.type == "dictionary_splat_pattern":
        first, kind = first.named_children[-1], m.ALL_KEYWORDS
    return [walk.named(first), kind, annotation, value]


def _is_stub(walk: Expressions, body: Node) -> bool:
    """Whether it only says that something else must do the work. Doing nothing is work: it is what runs."""
    says_so = False
    for child in body.named_children[:3]:
        kind = child.type
        if kind == "raise_statement":
            if not walk.data[child.start_byte : child.end_byte].startswith(b"raise NotImplementedError"):
                return False
            says_so = True
        elif kind == "expression_statement":
            if child.named_children and child.named_children[0].type not in ("string", "ellipsis"):
                return False
            says_so = says_so or child.named_children[0].type == "ellipsis"
        elif kind not in ("pass_statement", "comment"):
            return False
    return says_so and body.named_child_count <= 3


def is_empty(body: Node) -> bool:
    return all(
        child.type in ("pass_statement", "comment")
        or (child.type == "expression_statement" and child.named_children[0].type in ("string", "ellipsis"))
        for child in body.named_children
    )


def keys(scopes: list[m.Scope]) -> None:
    """Name every scope in its file: dotted, a second definition of a name as 'name~2', lambdas by number."""
    order = sorted(range(1, len(scopes)), key=lambda each: (scopes[each].start, -scopes[each].end))
    lambdas: dict[str, int] = {}
    seen: dict[str, int] = {}
    for number in order:
        scope = scopes[number]
        around = scopes[scope.parent].key
        if scope.kind == m.COMPREHENSION_SCOPE:
            scope.key = around
            continue
        if scope.kind == m.LAMBDA_SCOPE:
            lambdas[around] = lambdas.get(around, 0) + 1
            scope.name = f"<lambda{lambdas[around]}>"
        key = f"{around}.{scope.name}" if around else scope.name
        seen[key] = seen.get(key, 0) + 1
        scope.key = key if seen[key] == 1 else f"{key}~{seen[key]}"
