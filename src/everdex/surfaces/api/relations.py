"""The part of `Index` that speaks of the graph: who names, calls and depends on what, and what is central."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from everdex import limits
from everdex.errors import UsageError
from everdex.service import exploring, exporting
from everdex.service.answers import Freshness
from everdex.service.index import Reading
from everdex.service.reader import Reader
from everdex.service.relations import Question
from everdex.surfaces.api import model
from everdex.surfaces.api.asking import Asked, Asking, typed
from everdex.surfaces.cli.output import encode, escape
from everdex.sync.model import SyncOptions


class Relations(Asking):
    """Questions about symbols as the graph connects them. A graph that is not there yet is made and waited for."""

    def refs(
        self,
        symbol: str,
        *,
        role: str = "",
        k: int = 200,
        offset: int = 0,
        wait: bool = True,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.RefsAnswer:
        """The definition of a symbol and every place that names it, or only those that do this with it: `write`.

        Without `wait` it does not wait for the first graph of a large repository: `reservation` says what is open.
        """
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.RefsAnswer, "refs", reading, symbol=symbol, role=role, k=k, offset=offset, wait=wait
        )

    def get_references(self, symbol: str) -> tuple[model.Occurrence, ...]:
        """Every place that names a symbol, however many there are; empty when none or several definitions fit."""
        page = self.refs(symbol)
        found = list(page.references)
        while page.cursor is not None:
            page = self.refs(symbol, offset=page.cursor.offset, snapshot_id=page.cursor.snapshot_id)
            found += page.references
        return tuple(found)

    def callers(
        self,
        symbol: str,
        *,
        k: int = 200,
        offset: int = 0,
        site_offset: int = 0,
        wait: bool = True,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.CallersAnswer:
        """Every definition that calls a symbol, with the places; `wait` as for `refs`.

        `site_offset` passes over so many places of the first caller, where `cursor` says so.
        """
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.CallersAnswer, "callers", reading, symbol=symbol, k=k, offset=offset, site_offset=site_offset,
            wait=wait,
        )  # fmt: skip

    def callees(
        self,
        symbol: str,
        *,
        k: int = 200,
        offset: int = 0,
        site_offset: int = 0,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.CalleesAnswer:
        """Everything a symbol calls: in the repository, outside it, and what could not be decided. `site_offset` as for
        `callers`."""
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.CalleesAnswer, "callees", reading, symbol=symbol, k=k, offset=offset, site_offset=site_offset
        )

    def impact(
        self,
        symbol: str,
        *,
        depth: int = 3,
        k: int = 200,
        offset: int = 0,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.ImpactAnswer:
        """What a change of a symbol may affect, each with one shortest way, and the affected tests."""
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.ImpactAnswer, "impact", reading, symbol=symbol, depth=depth, k=k, offset=offset
        )

    def impact_picture(
        self,
        symbol: str,
        *,
        format: str = "svg",
        dark: bool = False,
        max_bytes: int = 0,
        depth: int = 3,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.ImpactPictureAnswer:
        """`impact` with a picture of it: svg or png; `max_bytes` bounds a png by drawing it smaller."""
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.ImpactPictureAnswer, "impact", reading, symbol=symbol, depth=depth, picture=_drawable(format),
            dark=dark, max_bytes=max_bytes,
        )  # fmt: skip

    def architecture(
        self,
        *,
        format: str | None = "svg",
        dark: bool = False,
        max_bytes: int = 0,
        depth: int | None = None,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.ArchitectureAnswer:
        """The parts of the repository and which uses which, with a picture: svg, png, or None for no picture."""
        return self._related(
            model.ArchitectureAnswer, "architecture", Reading(sync, snapshot_id), levels=depth,
            picture="" if format is None else _drawable(format), dark=dark, max_bytes=max_bytes,
        )  # fmt: skip

    def map(self, *, budget: int = 2_000, sync: bool = True, snapshot_id: str | None = None) -> model.MapAnswer:
        """What the repository consists of and what matters most in it, under that many tokens."""
        return self._related(model.MapAnswer, "map", Reading(sync, snapshot_id), budget=budget)

    def export_graph(
        self,
        output: str | os.PathLike[str],
        *,
        format: str = "json",
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> int:
        """Write the whole graph to a file as json, dot, scip or ctags; the number of bytes.

        Always written by this process: a graph is larger than an answer of the daemon may be.
        """
        reading, printing = Reading(sync, snapshot_id), exporting.Printing(encode, escape)
        with exporting.export(self._warm.index, format, reading, SyncOptions(), printing) as found:
            return exporting.to_file(found.pieces, Path(output))

    def explore(
        self,
        output: str | os.PathLike[str] | None = None,
        *,
        max_bytes: int = limits.PAGE_BYTES,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.ExploreAnswer:
        """Write a page in which a person walks the repository: to a file, or without one to the store's canvas.

        Always written by this process, as an export is.
        """
        if output is None and max_bytes != limits.PAGE_BYTES:
            raise UsageError("the canvas has one size of page", hint="name a file for another")
        reading = Reading(sync, snapshot_id)
        found = exploring.explore(
            self._warm.index, reading, SyncOptions(), kept=output is None, max_bytes=max_bytes
        )
        if output is not None:
            exporting.to_file([found.content], Path(output))
        return typed(model.ExploreAnswer, found.answer.to_dict())

    def get_map(self) -> model.MapAnswer:
        """`map`."""
        return self.map()

    def _related(self, kind: type[Asked], method: str, reading: Reading, **params: Any) -> Asked:
        def here(reader: Reader, freshness: Freshness, reading: Reading) -> Any:
            asked = {"limit" if name == "k" else name: value for name, value in params.items()}
            return reader.relations(Question(method, **asked), freshness, reading)

        return self._ask(kind, method, params, reading, here)


def _drawable(form: str) -> str:
    if form not in ("svg", "png"):
        raise UsageError(f"unknown format {form!r}; known are svg, png")
    return form
