"""Whether a package may be learned from: only permissive licences, by its metadata and by its licence file.

Both must agree: metadata that names no known permissive licence, or a licence file with the words of a copyleft one,
is a refusal. Dual licences are taken when one of the choices is permissive. Unknown is a refusal too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from training.archives import Archive, members

_PERMISSIVE: Final = re.compile(
    r"^(the )?(new |modified |simplified |revised )?("
    r"mit(-0|-cmu|-modern-variant)?( license)?( \(mit\))?|expat([-~][\w.-]+)?|x11|"
    r"(apache|asl)( software)?( license)?([- ,v]*(version )?2(\.0)?)?( license)?( with llvm-exception)?|"
    r"bsd|bsd license|bsd[- ][0-3][- ]?(clause|new)?([-~][\w.-]+)?( license)?|[0-3][- ]clause[- ]bsd( license)?|0bsd|"
    r"isc( license)?( \(iscl\))?|psf(-2\.0)?|psfl|python(-2\.0(\.\d)?)?|python software foundation license|zlib|"
    r"bsl-1\.0|boost( software license)?([- ]1\.0)?|unlicense|the unlicense \(unlicense\)|cc0(-1\.0)?|public[- ]domain|"
    r"hpnd|ncsa|php-3\.01|unicode-dfs-2016|unicode-3\.0|blueoak-1\.0\.0|curl|postgresql|wtfpl|zpl([- ]2\.1)?|"
    r"zope public license|historical permission notice and disclaimer( \(hpnd\))?|university of illinois/ncsa.*"
    r")$",
    re.IGNORECASE,
)
_COPYLEFT_TEXT: Final = re.compile(
    r"GNU\s+(LESSER\s+|LIBRARY\s+|AFFERO\s+)?GENERAL\s+PUBLIC\s+LICENSE\s+Version|Mozilla Public License,? v"
    r"|Eclipse Public License|Business Source License|Server Side Public License"
    r"|Creative Commons Attribution-NonCommercial|EUROPEAN UNION PUBLIC LICENCE"
    r"|All rights reserved\.? *(Proprietary|Confidential)",
    re.IGNORECASE,
)
_PERMISSIVE_TEXT: Final = re.compile(
    r"Permission\s+is\s+hereby\s+granted|Redistribution\s+and\s+use\s+in\s+source|Apache\s+License"
    r"|Permission\s+to\s+use,\s+copy|PYTHON\s+SOFTWARE\s+FOUNDATION|This\s+is\s+free\s+and\s+unencumbered"
    r"|Boost\s+Software\s+License|CC0|provided\s+['‘]as-is['’]|MIT\s+License|Zope\s+Public\s+License",
    re.IGNORECASE,
)
_COPYLEFT_HEAD: Final = re.compile(
    rb"GNU\s[\s*#/;-]*(LESSER\s|LIBRARY\s|AFFERO\s)?[\s*#/;-]*GENERAL\s[\s*#/;-]*PUBLIC\s[\s*#/;-]*LICENSE"
    rb"|SPDX-License-Identifier:\s*\(?(L?GPL|AGPL|MPL|EPL)",
    re.IGNORECASE,
)
_HEAD_BYTES: Final = 3_000
_LICENCE_FILE: Final = re.compile(r"(^|/)(licen[cs]es?|copying|copyright|unlicense)([-._][\w.-]*)?$", re.IGNORECASE)
_MAX_LICENCE_DEPTH: Final = 3


def is_permissive(expression: str) -> bool:
    """Of a licence expression: every part joined by AND, at least one joined by OR."""
    text = re.sub(r"\s+", " ", expression).strip(" ()\r")
    if re.search(r"\bOR\b|\bor\b", text) and not re.search(r"or[- ]later", text, re.IGNORECASE):
        return any(is_permissive(part) for part in re.split(r"\bOR\b|\bor\b", text))
    parts = re.split(r"\bAND\b|\band\b|&|,| / ", text)
    return all(_PERMISSIVE.match(part.strip(" ()")) is not None for part in parts)


def licence_of(archive: Archive) -> str | None:
    """The permissive licence of a package, or None when it must not be used."""
    if archive.registry in ("deb", "src"):
        return _debian_licence(archive)
    return _declared_licence(archive)


def names_copyleft(data: bytes) -> bool:
    """Whether a file's own head puts it under another licence than its package's."""
    return _COPYLEFT_HEAD.search(data, 0, _HEAD_BYTES) is not None


def _declared_licence(archive: Archive) -> str | None:
    """Wheels, npm tarballs and authors' sources: what the metadata declares, held against the licence file."""
    declared, texts = "", []
    for path, content in members(archive, _is_metadata):
        text = content.decode("utf-8", "replace")
        if path.endswith(".dist-info/METADATA"):
            declared = _from_metadata(text)
        elif path.endswith("package.json"):
            declared = _from_package_json(text)
        else:
            texts.append(text)
    if declared and not is_permissive(declared):
        return None
    if any(_COPYLEFT_TEXT.search(text) and not _offers_choice(declared) for text in texts):
        return None
    if not any(_PERMISSIVE_TEXT.search(text) for text in texts):
        # npm packages often leave the file out; a wheel without one says nothing that can be checked.
        return f"{declared} (metadata)" if declared and (archive.registry == "npm" or not texts) else None
    return declared or "permissive (licence file)"


def _offers_choice(declared: str) -> bool:
    return re.search(r"\bor\b", declared, re.IGNORECASE) is not None


def _is_metadata(path: str) -> bool:
    depth = path.count("/")
    if depth == 1 and path.endswith((".dist-info/METADATA", "/package.json")):
        return True
    return depth <= _MAX_LICENCE_DEPTH and _LICENCE_FILE.search(path) is not None


def _from_metadata(text: str) -> str:
    head = text.split("\n\n", 1)[0]
    for pattern in (
        r"^License-Expression: (.+)$",
        r"^Classifier: License :: OSI Approved :: (.+)$",
        r"^License: (.{1,60})$",
    ):
        found = dict.fromkeys(value.strip() for value in re.findall(pattern, head, re.MULTILINE))
        if found and "UNKNOWN" not in found:
            return " AND ".join(found)
    return ""


def _from_package_json(text: str) -> str:
    try:
        licence = json.loads(text).get("license", "")
    except (ValueError, AttributeError):
        return ""
    if isinstance(licence, dict):
        licence = licence.get("type", "")
    return licence if isinstance(licence, str) else ""


def _debian_licence(archive: Archive) -> str | None:
    """The licences of what may be read, by Debian's machine-readable copyright file."""
    text = _debian_copyright(archive)
    return None if text is None else _stanzas(text)[0]


def refused_paths(archive: Archive) -> re.Pattern[str] | None:
    """Of a Debian package whose main licence is permissive: the paths that have another; None when all may be read."""
    if archive.registry not in ("deb", "src"):
        return None
    text = _debian_copyright(archive)
    globs = [] if text is None else _stanzas(text)[1]
    # A binary package lays its files out anew, so a pattern may begin at any directory.
    return re.compile("(^|/)(" + "|".join(map(_glob, globs)) + ")$") if globs else None


def _debian_copyright(archive: Archive) -> str | None:
    wanted = re.compile(r"(^|/)usr/share/doc/[^/]+/copyright$|^(\./)?debian/copyright$")
    if archive.registry == "src":
        packaging = tuple(file for file in archive.files if ".debian.tar" in file.name)
        archive = replace(archive, files=packaging)
    for _, content in members(archive, lambda path: wanted.search(path) is not None):
        return content.decode("utf-8", "replace")
    return None


def _stanzas(text: str) -> tuple[str | None, list[str]]:
    """(the permissive licences, or None when the package's main one is not; the globs of all other files)."""
    if not text.startswith("Format:"):
        return None, []
    permissive: dict[str, None] = {}
    main, refused = False, []
    for stanza in re.split(r"\n\s*\n", text):
        files = re.search(r"^Files:\s*((?:.|\n[ \t])*)", stanza, re.MULTILINE)
        licence = re.search(r"^License:[ \t]*(.+)$", stanza, re.MULTILINE)
        if files is None or licence is None or _only_packaging(files[1].split()):
            continue
        name = licence[1].strip()
        if is_permissive(name):
            permissive[name] = None
            main = main or "*" in files[1].split()
        else:
            refused += files[1].split()
    if not main or "*" in refused:
        return None, refused
    return " AND ".join(sorted(permissive)), refused


def _glob(pattern: str) -> str:
    return "".join(".*" if part == "*" else "." if part == "?" else re.escape(part) for part in pattern.lstrip("./"))


def _only_packaging(patterns: Sequence[str]) -> bool:
    return all(pattern.startswith(("debian/", "./debian/", "m4/", "build-aux/")) for pattern in patterns)
