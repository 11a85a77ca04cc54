"""From whatever was raised to one typed error, and from that to stderr or a JSON document.

The single place where errors of the standard library and of click are given a code; below here modules raise
their own, and nothing above here invents one.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from contextlib import suppress
from typing import Final

import click

from everdex import clock, errors
from everdex.errors import EverdexError
from everdex.surfaces.cli.output import HalfWritten, escape, write_error, write_json

_DEBUG: Final = "EVERDEX_DEBUG"


def report(error: BaseException, *, as_json: bool) -> int:
    """Tell the user what went wrong; returns the exit code, also where nobody can be told."""
    known = as_everdex(error)
    if os.environ.get(_DEBUG) == "1":
        traceback.print_exception(error)
    if not as_json or isinstance(error, HalfWritten) or not _document_told(known):
        with suppress(OSError):
            for line in error_lines(known):
                write_error(line)
    return known.exit_code


def _document_told(known: EverdexError) -> bool:
    """Whether standard output took the error: it may be what failed."""
    try:
        write_json({"error": known.to_dict(clock.new_ulid())})
    except (HalfWritten, BrokenPipeError):
        return False
    return True


def error_lines(known: EverdexError) -> list[str]:
    """An error for people: what happened, and what to do about it."""
    hint = [f"hint: {escape(known.hint)}"] if known.hint else []
    return [f"everdex: {escape(known.message)}", *hint]


def as_everdex(error: BaseException) -> EverdexError:
    """The typed error that stands for any exception."""
    if isinstance(error, EverdexError):
        return error
    if isinstance(error, HalfWritten):
        return _half_written(error.__cause__)
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return errors.Cancelled("interrupted", hint="; ".join(getattr(error, "__notes__", ())) or None)
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "everdex"
        told = _no_option(error) if isinstance(error, click.NoSuchOption) else _in_one_line(error)
        return errors.UsageError(told, hint=f"run `{where} --help`{_after_dashes(error)}")
    if isinstance(error, click.ClickException):
        return errors.UsageError(_in_one_line(error))
    if isinstance(error, OSError):
        named = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        return errors.StorageFailure(f"{named}{error.strerror or error}")
    if isinstance(error, MemoryError):
        said = f"out of memory: {error}" if str(error) else "out of memory"
        return errors.InternalError(said, hint="free some memory, or index with --workers 1")
    return _of_library(error) or (errors.Cancelled("interrupted") if _of_interrupt(error) else _bug(error))


def _no_option(error: click.NoSuchOption) -> str:
    from everdex.surfaces.cli.elsewhere import option_meant  # most commands end without it

    near = option_meant(error)
    return f"no such option: {error.option_name}" + (f"; did you mean {near}?" if near else "")


def _after_dashes(error: click.UsageError) -> str:
    """What is looked for may begin with a dash, as `--max-columns` does."""
    takes_words = error.ctx is not None and any(isinstance(each, click.Argument) for each in error.ctx.command.params)
    return "; what is no option goes after --" if isinstance(error, click.NoSuchOption) and takes_words else ""


def _in_one_line(error: click.ClickException) -> str:
    """What click says; it lists choices below each other, and an error is one line."""
    return re.sub(r"\s*\n\s*", " ", error.format_message())


def _half_written(cause: BaseException | None) -> EverdexError:
    if isinstance(cause, OSError):
        return errors.StorageFailure(f"standard output: {cause.strerror or cause}", hint="what it holds is incomplete")
    return errors.InternalError("standard output was given up") if cause is None else as_everdex(cause)


def _of_interrupt(error: BaseException) -> bool:
    """Whether an interrupt is behind it: one that comes while a class is made is wrapped by the interpreter."""
    behind = error.__cause__ or error.__context__
    return behind is not None and (isinstance(behind, KeyboardInterrupt) or _of_interrupt(behind))


def _of_library(error: BaseException) -> EverdexError | None:
    """Damage that a library noticed before our checksums did. Only modules that are loaded can have raised."""
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is not None:
        if isinstance(error, (sqlite3.OperationalError, sqlite3.InterfaceError)):
            return errors.StorageFailure(f"sqlite: {error}")
        if isinstance(error, sqlite3.DatabaseError):
            return errors.Corrupt(f"sqlite: {error}")
    zlib = sys.modules.get("zlib")
    if zlib is not None and isinstance(error, zlib.error):
        return errors.Corrupt(f"a stored file does not decompress: {error}")
    return None


def _bug(error: BaseException) -> EverdexError:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    first_line = (str(error).splitlines() or [""])[0][:200]
    return errors.InternalError(
        f"{type(error).__name__}: {first_line}{where}",
        hint="this is a bug in everdex; run again with EVERDEX_DEBUG=1 and report the traceback",
    )
