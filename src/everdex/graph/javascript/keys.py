"""The keys of what a JavaScript file says of itself: each names the file whose content it stands for. Others are
spelled where they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from everdex.facts import javascript_model as m

SPLIT: Final = "interface"  # the kind of types of which each member has a key of its own
UNNAMED: Final = ("", "new")  # but for signatures
# A function that is called by name more often than this says nothing of its parameters that would not be cut anyway.
MAX_CALLS: Final = 16
ANY_NAME: Final = "*"  # in place of the name of a member: which there are
# And a name: the calls by it in sources, and in tests and the like; and that a file alone has more than are looked at.
CALLS_KEY: Final = "js:calls:"
ASIDE_KEY: Final = "js:aside:"
CROWD_KEY: Final = "js:crowd:"
HEIRS_KEY: Final = "js:heirs:"  # and the name of a class or interface: who says that it is one
HANDED_KEY: Final = "js:handed:"  # and the name of a method: literals that have one, where no type is written
ADDED_NAMES_KEY: Final = "js:added"  # the names of all that files add to in other modules
ADDED_KEY: Final = "js:added:"  # and such a name: how files add to what has it
MAX_HEIR_FILES: Final = 40  # in more files than this nobody looks for them


def def_key(path: str, home: str) -> str:
    """What the functions, classes and types of a definition's content are."""
    return f"js:def:{path}#{home}"


def name_key(path: str, binding: m.Binding) -> str:
    """What a name is bound to in a definition's content. A name of the module goes with what has that name; those in
    functions without a name inside each other, which few follow and of which there are many, go together."""
    if binding.home == binding.name or (binding.home[:1] == "<" and "." in binding.home):
        return def_key(path, binding.home)
    return f"js:name:{path}#{binding.home}/{binding.name}"


def takes_key(path: str, home: str, place: int = -1) -> str:
    """What the functions of a definition's content take at a place; without one, all of it and how many they take."""
    return f"js:takes:{path}#{home}" if place < 0 else f"js:takes:{path}#{home}/{place}"


def member_key(path: str, owner: str, name: str) -> str:
    """What a class or an interface has under a name."""
    return f"js:of:{path}#{owner}.{name}"


def literals_key(path: str, home: str) -> str:
    """Where the object literals of a definition's content stand."""
    return f"js:literals:{path}#{home}"


def called_key(path: str, name: str) -> str:
    """The calls by the name of a function that only its own file can call."""
    return f"js:called:{path}#{name}"


def export_key(path: str, name: str) -> str:
    return f"js:export:{path}#{name}"


def kind_key(path: str) -> str:
    """What kind of module a file is."""
    return f"js:kind:{path}#"


def own_keys(path: str) -> tuple[str, ...]:
    """How the keys begin that stand for a file's own content."""
    kinds = ("def", "name", "takes", "of", "literals", "called", "export", "kind")
    return tuple(f"js:{kind}:{path}#" for kind in kinds)
