"""Putting text on stdout and stderr: UTF-8 whatever the locale, and nothing in it can drive a terminal.

File names and contents come from an untrusted repository, so every control character (and every character
that reorders or hides text) goes out escaped, also into a pipe: the pipe may end in a terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, TextIO

import msgspec

from everdex.wording import plural as plural  # the other words of a command line are here

# DEL and C1, line separators, what turns the direction of text, tags and others that nobody sees and a model may
# read, lone surrogates. Joiners and marks that scripts and emoji are written with stay.
_TURNS_OR_HIDES: Final = (
    "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff"
)
_UNSAFE: Final = re.compile(f"[\x00-\x08\x0a-\x1f{_TURNS_OR_HIDES}]")  # C0 but tab
_UNSAFE_IN_JSON: Final = re.compile(f"[{_TURNS_OR_HIDES}]")
_PIECE: Final = 2_048  # bytes


def escape(text: str) -> str:
    """One line of text that is safe to print; tabs stay."""
    return text if text.isprintable() else _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def encode(document: Mapping[str, Any]) -> str:
    """A JSON document in one line."""
    return json_bytes(document).decode()


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """The same as it goes out: UTF-8."""
    try:
        data = msgspec.json.encode(document)
    except UnicodeEncodeError:  # half of a surrogate pair, as in a name that is not UTF-8: msgspec refuses it
        data = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if data.isascii() and b"\x7f" not in data:
        return data
    # Looking for unsafe characters takes ten times as long as encoding, so it is done where there may be any.
    return b"".join([
        piece if piece.isascii() and b"\x7f" not in piece
        else _UNSAFE_IN_JSON.sub(_escaped_in_json, piece.decode("utf-8", "surrogatepass")).encode()
        for piece in _pieces(data)
    ])  # fmt: skip


def _pieces(data: bytes) -> Iterator[bytes]:
    """A document cut before quotes, which are part of no other character."""
    start = 0
    while start < len(data):
        end = data.find(b'"', start + _PIECE)
        yield data[start : end if end > 0 else len(data)]
        start = end if end > 0 else len(data)


def _escaped_in_json(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class HalfWritten(Exception):
    """What belongs together went out in part; `__cause__` says why. Nothing may follow it on stdout."""


@contextmanager
def whole() -> Iterator[None]:
    """What is put on stdout in here is one document: an interrupt or a full disk leaves half of it there."""
    try:
        yield
    except BrokenPipeError:
        raise
    except BaseException as error:
        raise HalfWritten from error


def write_json(document: Mapping[str, Any]) -> None:
    """Print one document and hand it on at once: the reader may be waiting for this line."""
    data = json_bytes(document) + b"\n"
    with whole():
        sys.stdout.buffer.write(data)
        sys.stdout.flush()


def write(line: str = "") -> None:
    """Print one line that is already escaped."""
    _put(sys.stdout, line)


def write_error(line: str) -> None:
    _put(sys.stderr, line)


def line_bytes(line: str) -> bytes:
    """How a line goes out: UTF-8 whatever the locale."""
    return line.encode("utf-8", "backslashreplace") + b"\n"


def _put(stream: TextIO, line: str) -> None:
    buffer: BinaryIO = stream.buffer
    if stream is sys.stderr:
        with suppress(OSError):  # whoever ends the command meets it again
            sys.stdout.flush()  # on one terminal what was said first stands first
        buffer.write(line_bytes(line))
        buffer.flush()
        return
    try:
        buffer.write(line_bytes(line))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise HalfWritten from error


class Style(msgspec.Struct, frozen=True):
    """How results are shown: `grouped` is the layout for people, `coloured` whether it has colours."""

    grouped: bool
    coloured: bool


def style(color: str) -> Style:
    """From `--color`, NO_COLOR and where stdout goes. `always` is for a pager: the layout of a terminal."""
    terminal = sys.stdout.isatty()
    if color == "always":
        return Style(grouped=True, coloured=True)
    allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(grouped=terminal, coloured=terminal and allowed and color == "auto")


Line = tuple[bool, str]  # whether it is a result (stdout) or a remark (stderr), and the escaped text


class Shown(msgspec.Struct, frozen=True):
    """How an answer looks as text, and the exit code it means; the daemon prints through the same."""

    lines: Callable[[dict[str, Any]], Iterable[Line]]
    code: Callable[[dict[str, Any]], int] = lambda _: 0
    draw: Callable[[dict[str, Any], Style], None] | None = None  # for people; remarks (see `Line`) follow it

    def print(self, document: dict[str, Any], *, as_json: bool) -> int:
        """Print an answer, warnings first; returns the exit code."""
        if as_json:
            write_json(document)
        else:
            warn(document)
            for is_result, line in self.lines(document):
                (write if is_result else write_error)(line)
        return self.code(document)


def warn(answer: Mapping[str, Any]) -> None:
    """Warnings and limits of an answer, on stderr."""
    for line in warning_lines(answer):
        write_error(line)


def warning_lines(answer: Mapping[str, Any]) -> list[str]:
    limits_hit = (f"limit reached: {limit}" for limit in answer["limits_hit"])
    return [f"warning: {escape(text)}" for text in (*answer["warnings"], *limits_hit)]


def size(count: int) -> str:
    """Bytes for people."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def duration(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
