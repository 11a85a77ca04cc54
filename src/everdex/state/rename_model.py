"""What a plan to rename consists of: edits, places in doubt, clashes."""

from __future__ import annotations

import msgspec

from everdex.graph.definitions.atlas import Definition


class RenameEdit(msgspec.Struct, frozen=True):
    """Bytes to replace, half-open, in the file with this content; `before` and `after` stand around them."""

    path: str
    content_hash: str
    byte_start: int
    byte_end: int
    line: int
    column: int
    role: str  # definition, or what the site does
    text: str  # the whole line
    before: str
    after: str
    doubt: str = ""  # of one that was taken: why it was in doubt


class RenameDoubt(msgspec.Struct, frozen=True):
    """A place that may mean the definition: to be looked at by somebody."""

    path: str
    line: int
    column: int
    role: str
    text: str
    certainty: str
    reason: str
    takeable: bool  # the old name is written there, in code: it can be made an edit
    elsewhere: bool  # as far as it is known it leads to something else: nobody takes it but by its line


class RenameClash(msgspec.Struct, frozen=True):
    """Something that has the new name already where it would be taken for the renamed one."""

    path: str
    line: int
    qualified_name: str


class RenamePlan(msgspec.Struct, frozen=True):
    plan_id: str  # of everything in it: what was decided about one plan holds for no other
    old: str
    new: str
    definitions: tuple[Definition, ...]  # what is renamed: the one that was asked for first
    edits: tuple[RenameEdit, ...]  # by path and place
    doubts: tuple[RenameDoubt, ...]
    clashes: tuple[RenameClash, ...]
