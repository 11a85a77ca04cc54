"""The queries that find uses, names and heads of definitions (queries/*.scm), and what their captures mean.

The first of these captures in a pattern says what it is for:

    @call + @receiver, @arguments  a call, at the name of what is called
    @token                         a name before parentheses inside a macro's tokens, where the grammar sees no call
    @replacement                   the text of a macro, in which calls are found as above
    @initializer + @arguments      `: base(…)`, `: this(…)`
    @callee + @arguments           a call whose callee is one expression, taken apart by its text
    @new + @arguments              a constructor call, at the type
    @constructed + @arguments      the same of a base, whose name is a use of its own
    @target + @arguments           one that leaves the type to what it is assigned to or returned as
    @infix + @receiver             a call without parentheses, between what it is called on and what it is given
    @operator + @operand           an operator, with what stands around it
    @indexed + @operand, @index    the bracket behind a value, with what stands in it
    @stored, @updated + @operand   the bracket of what is assigned to, or read and assigned to
    @implied + @stated, @receiver  a member of a type that is not written: of the one beside it, of that of a value, or
                                   of what the function around it returns
    @macro                         a macro's call
    @type, @read, @write           a name in the place of a type; a value; something assigned to
    @member + @receiver            a name behind what it is a member of, whatever is done with it
    @label + @receiver             a name that a value is compared with, which may be a member of its type
    @literal + @stated, @through   what has keys that are members of a type; without one, of an item of what is around
                                   it, or of that member of it
    @key, @taken                   a key that gives a member its value; one that takes it out
    @positional                    a list of fields that have numbers for names
    @parted                        a pattern that takes such fields out
    @implicit + @given, @by        a function whose parameter has the name that the language gives it
    @structure                     a struct, which may be without a name
    @import, @package              the statement; the name of the package
    @shape + @name, @parameters, @returns, @base, @extended, @result
                                   what stands in the head of a definition; the expression whose value it returns
    @mixin                         a base of the definition around it
    @opened + @mixin, @word        a type that is given a base from elsewhere; Ruby's `prepend`, of the type around it
    @bind + @stated, @value, @each a name with its type, what is assigned to it, what it takes the items of
    @bind + @second                a name that takes the second result of a call; with @each, of what is taken out
    @bind + @each, @received       a name that takes what comes out of a channel, or else a number
    @bind + @given, @by            a parameter of a function that is given to a method (@by) of something
    @branch                        statements that are run under a condition
    @block + @until                what ends the names that are bound in it, at its end or at that of its first @until
    @switch + @case, @stated       Go: a name that has another type in each case, and the cases of one type
    @narrowed + @stated            what is asked whether it is of a type
    @promoted + @stated            a constructor's parameter that is a field as well
    @lambda                        a function without a name
    @setter                        the name of a method that an assignment calls, with `=` after it
    @inheriting + @base            a table that is given the members of another
    @anonymous + @base             the body of a class without a name
    @static                        a word that makes the definition around it static
    @documented                    a comment that may state types of what follows it
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from tree_sitter import Query

from everdex.languages import GRAMMARS
from everdex.parse import grammar

_ROLES: Final = (
    "implied", "infix", "anonymous", "replacement", "call", "callee", "token", "initializer", "narrowed", "promoted",
    "new", "target", "made", "constructed", "macro", "inheriting", "setter", "type", "qualifier", "read", "write",
    "member", "import", "package", "shape", "opened", "mixin", "bind", "lambda", "static", "documented", "branch",
    "block", "literal", "key", "taken", "positional", "structure", "label", "parted", "implicit", "switch",
    "stored", "updated", "indexed", "operator",
)  # fmt: skip
_CAPTURE: Final = re.compile(rb"@([a-z]+)")


@cache
def query_of(language: str) -> tuple[Query, tuple[str, ...]]:
    """A language's query, and what each of its patterns is for."""
    source = files("everdex.facts").joinpath("queries", f"{GRAMMARS[language].query}.scm").read_text("utf-8")
    query, text = Query(grammar.language(language), source), source.encode()
    roles = []
    for pattern in range(query.pattern_count):
        span = text[query.start_byte_for_pattern(pattern) : query.end_byte_for_pattern(pattern)]
        present = {name.decode() for name in _CAPTURE.findall(span)}
        roles.append(next(role for role in _ROLES if role in present))
    return query, tuple(roles)
