"""The keys of Python: under which names content of a file is offered to others and read by them.

A key stands for text, never for positions. What a function's body may add elsewhere without being read itself (an
attribute assigned, a container filled, a function passed on) has a key of its own, so that also "nothing was found
there" can be noted.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

import xxhash

from everdex.graph.python.file.slots import FIRST
from everdex.graph.python.names.standard import BUILTIN_NAMES

METHOD_KEY: Final = "py:method:"  # and a name: which classes have a method of it
BASE_KEY: Final = "py:base:"  # and the last name of a class: who inherits from one called so, or gives it another
# Where a file has more than `slots.FEW` of these calls only about how many: who looks at them notes `here_keys`, too.
CALL_KEY: Final = "py:call:"  # and a last name: who calls something by it, and passes something
BARE_KEY: Final = "py:bare:"  # and a last name: who calls something by it, and passes nothing
KEPT_KEY: Final = "py:kept:"  # and the last name of what may be a class: who has it as an attribute of a class
MADE_KEY: Final = "py:made:"  # and the last name of a class: who makes another from one called so by `type`
META_KEY: Final = "py:meta:"  # and the last name of a metaclass: who names one that is called so
NAMING_KEY: Final = "py:naming"  # who stores attributes under computed names and asks for names of definitions
REPLACING_KEY: Final = "py:replacing"  # who goes through members of something and replaces them
CALLED_META_KEY: Final = "py:called meta"  # which modules have classes that a metaclass makes where it is called
CONFTEST: Final = "conftest.py"
FIXTURE_KEY: Final = "py:fixture:"  # and a name: that something is called so which may be a fixture
DECORATE_KEY: Final = "py:decorate:"  # and the last name of a decorator: who decorates with one that is called so
DECORATED_KEY: Final = "py:decorated:"  # and the same name: in how many places
OWN_CALLS: Final = ("cls", "type()", "__class__")  # what methods call to make another of their class
_OTHERS: Final = 32  # keys of a file for all names that it calls and does not define; twice, by their first letter
MAX_BASE_FILES: Final = 24  # in more files than this nobody looks for the classes below one

def scope_key(path: str, key: str) -> str:
    """A scope's own text without the bodies inside it; of a class also what its methods assign to self.

    What stands before a function's body is also text of who defines it: who has a function has looked at that.
    """
    return f"py:scope:{path}:{key}"


def name_key(path: str, name: str) -> str:
    """The statements of a module that bind a name."""
    return f"py:name:{path}:{name}"


def names_key(path: str, key: str) -> str:
    """Which names a module or class binds, and to expressions of which kinds."""
    return f"py:names:{path}:{key}"


def loose_key(path: str, key: str) -> str:
    """The statements of a module or class that bind nothing, or only what they import."""
    return f"py:loose:{path}:{key}"


def head_key(path: str, key: str) -> str:
    """A class statement before its body: what it inherits from. Of a function who looks which parameter takes what is
    passed notes it, also where none does."""
    return f"py:head:{path}:{key}"


def parameters_key(path: str, key: str) -> str:
    """What a function takes, by which names and places: noted where it is asked what one of its parameters is, but for
    what a method is called on."""
    return f"py:parameters:{path}:{key}"


def stub_key(path: str, key: str) -> str:
    """That a function has no body of its own."""
    return f"py:stub:{path}:{key}"


def member_key(path: str, owner: str, name: str) -> str:
    """The statements of a class, by its key, that bind a name, and the methods that assign it to self."""
    return f"py:member:{path}:{owner}:{name}"


def stars_key(path: str) -> str:
    """From where a module takes something by `*`, and whether it says itself what it gives so."""
    return f"py:stars:{path}"


def exported_key(path: str, name: str) -> str:
    """That a module which says what it gives by `*` gives a name."""
    return f"py:exported:{path}:{name}"


def stores_key(path: str, name: str) -> str:
    """Where a file assigns attributes of this name other than of self."""
    return f"py:stores:{path}:{name}"


def computed_stores_key(path: str) -> str:
    """The same for attributes whose names are computed."""
    return f"py:stores:{path}:*"


def adopted_key(path: str, name: str) -> str:
    """Where a file assigns a function of its own by this name to an attribute, other than of self."""
    return f"py:adopted:{path}:{name}"


def named_key(name: str) -> str:
    """That a file has a definition of this name, in no class, which decorators stand before."""
    return f"py:named:{name}"


def stored_key(name: str) -> str:
    """Where any file assigns an attribute of this name, other than of self."""
    return f"py:stored:{name}"


def replaced_key(module: str) -> str:
    """Where any file assigns an attribute of a module whose last name is this."""
    return f"py:replaced:{module}"


def filled_key(path: str, name: str) -> str:
    """Where a file puts something into a container of this name; '' for one it was given."""
    return f"py:filled:{path}:{name}"


def fills_key(name: str) -> str:
    """Where any file puts something into another's container of this name."""
    return f"py:fills:{name}"


def default_key(name: str) -> str:
    """Where any file sets a function of this name, '' for a lambda, as a default of arguments that are parsed."""
    return f"py:default:{name}"


def taken_key(name: str) -> str:
    """Where any file calls what it takes from another's container of this name."""
    return f"py:taken:{name}"


def passes_key(name: str, slot: str) -> str:
    """Where any file calls something by a name and fills a slot of it (`slots`)."""
    return CALL_KEY + name if slot == FIRST else f"py:passes:{name}:{slot}"


def called_key(name: str) -> str:
    """That a file which is no test calls something by a name."""
    return f"py:called:{name}"


def passed_key(path: str, name: str) -> str:
    """Where a file passes on a function of this name."""
    return f"py:passed:{path}:{name}"


def given_key(name: str) -> str:
    """That a file passes on a class of its own, or passes on or holds what it imports: by the name where it is from."""
    return f"py:given:{name}"


def fixture_key(path: str, name: str) -> str:
    """What may be a fixture of this name in a file."""
    return f"{FIXTURE_KEY}{path}:{name}"


def conftest_key(path: str) -> str:
    """That there is a conftest.py of this path; its dotted names may be of others."""
    return f"py:conftest:{path}"


def calls_key(path: str, name: str) -> str:
    """Where a file calls what it defines under a name; of a name that few files call all of them are looked at."""
    return f"py:calls:{path}:{name}"


def others_key(path: str, name: str) -> str:
    """Where a file calls something by a name under which it defines nothing, and that it defines something under it;
    one key for several such names."""
    if name in OWN_CALLS:  # who asks for a constructor's callers looks for them in all files of a line
        return f"py:others:{path}:own"
    name = name.removesuffix("()")
    if name in BUILTIN_NAMES:  # most edits call one, and nearly no class is called so
        return f"py:others:{path}:builtins"
    # Who goes by the names of classes is not asked again for a call that is written like a function's.
    case = "" if name[:1].isupper() else "small"
    return f"py:others:{path}:{case}{xxhash.xxh3_64_intdigest(name.encode('utf-8', 'surrogatepass')) % _OTHERS}"


def here_keys(path: str, name: str, defined: Container[str], called: Container[str]) -> tuple[str, ...]:
    """Where a file that defines some names and calls some calls something by a name.

    With the name that it begins or ceases to define another key tells of the calls. That it begins to is told by
    `others_key`, that it ceases to by the calls; where there are none, by both.
    """
    if name.removesuffix("()") not in defined:
        return (others_key(path, name),)
    return (calls_key(path, name),) if name in called else (calls_key(path, name), others_key(path, name))


def indirect_key(path: str) -> str:
    """Where a file calls what it does not name."""
    return f"py:indirect:{path}"


def dispatched_key(begins: str) -> str:
    """Where any file calls an attribute under a name that it puts together and that begins with this word."""
    return f"py:dispatched:{begins}"


def operated_key(method: str) -> str:
    """Where any file has an operator, or stores an item, that may call a special method of this name."""
    return f"py:operated:{method}"


def taking_key(path: str, what: str) -> str:
    """Where a function, by its key, passes on, stores or calls what it is given, or where an attribute by this name is
    passed on that was given."""
    return f"py:taking:{path}:{what}"


def used_key(name: str) -> str:
    """That a file names what may be a class of this name as a value: it could make one."""
    return f"py:used:{name}"
