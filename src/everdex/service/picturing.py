"""Pictures as answers: the architecture of a repository and the impact of a symbol, drawn or kept on the canvas.

A picture is asked for by form: `svg` or `png` come with the answer and say which snapshot they show and how fresh it
was; `kept` goes to the store's canvas directory and the answer says where.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final

import msgspec

from everdex.canvas.architecture import Architecture, described
from everdex.canvas.blueprint import picture as draw_architecture
from everdex.canvas.impact import ImpactModel
from everdex.canvas.keep import keep_architecture, keep_impact
from everdex.canvas.png import missing, png
from everdex.canvas.ripples import ripples
from everdex.canvas.scene import Scene
from everdex.canvas.sheet import Caption
from everdex.canvas.survey import survey
from everdex.canvas.svg import svg
from everdex.errors import Busy
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.service.answers import Freshness
from everdex.service.wanted import Wanted

_MEDIA: Final = {"svg": "image/svg+xml", "png": "image/png"}
Drawn = tuple[dict[str, Any], tuple[str, ...]]  # fields of the answer, and warnings


class Plan(msgspec.Struct, frozen=True):
    """An architecture and how it is laid out on its sheet."""

    model: Architecture
    scene: Scene


def plan(atlas: Atlas, name: str, caption: Caption, depth: int | None) -> Plan:
    """Survey the repository and lay out what there is to see."""
    return Plan(*draw_architecture(survey(atlas, name), caption, depth))


def architecture_body(atlas: Atlas, plan: Plan, wanted: Wanted) -> Drawn:
    model, scene = plan.model, plan.scene
    if wanted.form == "kept":
        kept = keep_architecture(atlas, lambda: png(scene))
        late = [] if kept.published else [f"the picture was not published: {kept.reason}"]
        fields = {"architecture": described(model), "picture": None, "canvas": msgspec.to_builtins(kept)}
        return fields, (*late, *_unshown(scene))
    drawn, warnings = _written(scene, wanted) if wanted.form else (None, ())
    return {"architecture": described(model), "picture": drawn}, warnings


def impact_fields(
    atlas: Atlas, definition: Definition, model: ImpactModel, wanted: Wanted, freshness: Freshness
) -> Drawn:
    """What an answer about an impact has besides, when a picture is wanted with it."""
    scene = ripples(model, caption(atlas, wanted, freshness))
    if wanted.form != "kept":
        drawn, warnings = _written(scene, wanted)
        return {"picture": drawn}, warnings
    digest = atlas.view.manifest.digest
    subject = f"{definition.path}\0{definition.node.key}\0{model.depth}\0{wanted.dark}"
    try:
        path = keep_impact(atlas.view.store, digest, subject, png(scene, dark=wanted.dark))
    except Busy as busy:
        return {"canvas": {"path": ""}}, (f"the picture was not kept: {busy.message}",)
    return {"canvas": {"path": path}}, _unshown(scene)


def caption(atlas: Atlas, wanted: Wanted, freshness: Freshness) -> Caption:
    """What a picture says of itself."""
    manifest = atlas.view.manifest
    if wanted.form == "kept":
        # Its digest and nothing of the moment: the same digest has the same bytes.
        return Caption(manifest.digest)
    behind = f", {freshness.dirty_count:,} files behind" if freshness.dirty_count else ""
    return Caption(manifest.digest, manifest.snapshot_id, f"{freshness.state}{behind}")


def _written(scene: Scene, wanted: Wanted) -> tuple[dict[str, Any], tuple[str, ...]]:
    warnings: tuple[str, ...] = ()
    if wanted.form == "svg":
        data = svg(scene, dark=True if wanted.dark else None)
        content = data.encode()
    else:
        content = png(scene, dark=wanted.dark, max_bytes=wanted.max_bytes or None)
        data, warnings = base64.b64encode(content).decode(), _unshown(scene)
    picture = {
        "format": wanted.form, "media_type": _MEDIA[wanted.form], "width": scene.width, "height": scene.height,
        "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "data": data,
    }  # fmt: skip
    return picture, warnings


def _unshown(scene: Scene) -> tuple[str, ...]:
    count = missing(scene)
    return (f"{count:,} characters are empty boxes in the PNG; the SVG has them",) if count else ()
