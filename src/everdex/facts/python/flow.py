"""Which assignments of a scope reach a place in it, kept while its statements are walked in order.

The last assignment on a straight line hides earlier ones; branches join, also when every branch assigns; what a loop
assigns late is seen by what it reads early, and hides what was there before where the loop runs in any case; an arm
that returns or raises joins nothing. Exceptions may leave a `try` after any of its assignments. It does not follow
conditions: both arms of `if False` count.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Bindings: TypeAlias = tuple[int, ...]
State: TypeAlias = dict[str, Bindings]

# A name assigned in more places than this on the way here keeps the latest: joins stay linear. Whoever reads that many
# has to expect others.
MAX_REACHING: Final = 64
# What the breaks and continues of one loop may look at; after that each of its assignments counts as seen there.
_MAX_LEAVING: Final = 10_000


class Frame:
    """What one arm, loop body or comprehension has assigned so far."""

    __slots__ = ("assigned", "began", "early", "ended", "escaped", "is_left", "leaving", "read_again")

    def __init__(self, loop: bool = False, began: int = 0) -> None:
        self.assigned: State = {}
        self.early: dict[str, list[list[int]]] | None = {} if loop else None  # reads that looked past the loop's head
        self.escaped: State = {}  # assigned before a break or continue
        self.ended = False
        self.is_left = False  # by a break or continue
        self.began = began  # how many assignments there were before
        self.leaving = 0  # how many names its breaks and continues looked at
        self.read_again: set[str] = set()  # names that a loop reads after it has assigned them


def union(left: Bindings, right: Bindings) -> Bindings:
    if left == right or not right:
        return left
    if not left:
        return right
    return tuple(sorted({*left, *right})[-MAX_REACHING:])


class Flow:
    """The state of one scope's walk."""

    __slots__ = ("frames", "log")

    def __init__(self) -> None:
        self.frames = [Frame()]
        self.log: list[tuple[str, int]] = []

    def bind(self, name: str, binding: int) -> None:
        self.frames[-1].assigned[name] = (binding,)
        self.log.append((name, binding))

    def unbind(self, name: str) -> None:
        self.frames[-1].assigned[name] = ()

    def read(self, name: str, reaching: list[int]) -> None:
        """Put the bindings that reach here into the list; a loop around may add to it later."""
        for frame in reversed(self.frames):
            found = frame.assigned.get(name)
            if found is not None:
                reaching.extend(found)
                if frame.early is not None:
                    frame.read_again.add(name)
                return
            if frame.early is not None:
                frame.early.setdefault(name, []).append(reaching)

    def look(self, name: str) -> Bindings:
        for frame in reversed(self.frames):
            found = frame.assigned.get(name)
            if found is not None:
                return found
        return ()

    def push(self, loop: bool = False) -> Frame:
        frame = Frame(loop, len(self.log))
        self.frames.append(frame)
        return frame

    def pop(self) -> Frame:
        return self.frames.pop()

    def end(self) -> None:
        """After return or raise: nothing here is reached again."""
        self.frames[-1].ended = True

    def leave_loop(self) -> None:
        """At break or continue: what was assigned since the loop began is seen after it and at its head."""
        seen: set[str] = set()
        inner: list[Frame] = []
        for frame in reversed(self.frames):
            inner.append(frame)
            if frame.early is not None:
                frame.is_left = True
                if frame.leaving > _MAX_LEAVING:
                    break
                frame.leaving += sum(len(each.assigned) for each in inner)
                for each in inner:
                    for name, found in each.assigned.items():
                        if name not in seen:
                            seen.add(name)
                            frame.escaped[name] = union(frame.escaped.get(name, ()), found)
                break
        self.frames[-1].ended = True

    def join(self, arms: list[Frame], exhaustive: bool) -> None:
        """Go on after a branching statement: each arm's state, or the one before it."""
        live = [arm for arm in arms if not arm.ended]
        if not live:
            if exhaustive and arms:
                self.frames[-1].ended = True
            return
        several: dict[str, list[Bindings]] = {}
        for arm in live:
            for name, found in arm.assigned.items():
                several.setdefault(name, []).append(found)
        target = self.frames[-1].assigned
        for name, each in several.items():
            joined: Bindings = ()
            for found in each:
                joined = union(joined, found)
            is_everywhere = exhaustive and len(each) == len(live)
            target[name] = joined if is_everywhere else union(joined, self.look(name))

    def end_loop(self, body: Frame, runs: bool) -> None:
        """After the body (already popped): zero or more rounds of it, or at least one where it is known to run."""
        late: State = {} if body.ended else dict(body.assigned)
        if body.leaving > _MAX_LEAVING:
            for name, binding in self.log[body.began :]:
                body.escaped[name] = union(body.escaped.get(name, ()), (binding,))
        for name, found in body.escaped.items():
            late[name] = union(late.get(name, ()), found)
        for name, reads in (body.early or {}).items():
            for binding in late.get(name, ()):
                for reaching in reads:
                    if len(reaching) < MAX_REACHING and binding not in reaching:
                        reaching.append(binding)
        target = self.frames[-1].assigned
        is_hidden = runs and not body.is_left
        for name, found in late.items():
            target[name] = found if is_hidden else union(self.look(name), found)

    def after_any(self, since: int) -> Frame:
        """Begin an arm that may follow each single assignment made since then: an exception handler."""
        frame = self.push()
        for name, binding in self.log[since:]:
            before = frame.assigned.get(name)
            frame.assigned[name] = union(self.look(name) if before is None else before, (binding,))
        return frame

    def bind_around(self, name: str, binding: int) -> None:
        """A walrus in a comprehension assigns outside it."""
        assigned = self.frames[-2].assigned
        assigned[name] = union(assigned.get(name, ()), (binding,))
