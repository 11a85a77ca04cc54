"""The interface of a file (what other files may rely on), worked out once for each content and remembered.

Equal bytes have equal interfaces under every path whose name says the same of the language, a package's `__init__`
apart. So one memory serves all snapshots and the working tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from everdex import versions
from everdex.graph.stored.kept_values import KeptValues, values_of
from everdex.languages import is_said, language_of
from everdex.parse.interface_model import Interface
from everdex.snapshot.store import Store

_DECODER: Final = msgspec.msgpack.Decoder(Interface)


class Unread(Exception):
    """A content whose interface is not known and which is not to be read now; control flow between rooms."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class KeptInterfaces:
    """The interfaces of a store's contents; for one thread. Opens nothing before it is asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._values: KeptValues | None = None

    def of(self, path: str, content_hash: str, read: Callable[[], bytes]) -> Interface | None:
        """The interface of a content, of which `read` gives the bytes or raises `Unread`; None where it has none."""
        if self._values is None:
            self._values = values_of(self._store)
        package = path.rpartition("/")[2].startswith("__init__.")
        named = f"{language_of(path)}\0{is_said(path)}"
        name = f"interface\0{versions.INTERFACE_VERSION}\0{named}\0{package}\0{content_hash}"
        known = self._values.get(name)
        if known is None:
            from everdex.parse.interface import interface_of  # with the parser: most are known

            found = interface_of(path, read())
            self._values.put(name, b"" if found is None else msgspec.msgpack.encode(found))
            return found
        return _DECODER.decode(known) if known else None

    def close(self) -> None:
        if self._values is not None:
            self._values.close()
            self._values = None
