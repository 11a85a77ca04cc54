"""The short way from `everdex search …` to a running daemon: nothing is imported but `_socket` and our frames.

Understands exactly the options it can forward, finds the daemon by its entry below the home, and prints what the
daemon rendered. Whatever it does not understand (another option, a terminal to draw on, no daemon, a refused
connection) it leaves to the full command line by returning None; once the daemon has answered, that answer stands.
"""

from __future__ import annotations

import os

from everdex.surfaces.daemon import wire

_MAGIC = "everdex-daemon 1"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODES = ("hybrid", "lexical", "semantic", "regex", "literal")
PROFILES = ("balanced", "discovery", "implementation", "planning", "debug")
_FLAGS = {
    "-i": ("ignore_case", "true"), "--ignore-case": ("ignore_case", "true"), "--explain": ("explain", "true"),
    "--no-sync": ("no_sync", "true"), "--rerank": ("rerank", "true"), "--no-rerank": ("rerank", "false"),
}  # fmt: skip
_LISTS = {"--lang": "languages", "--path": "paths"}
_NUMBERS = {"-k": ("k", 1, 200), "--offset": ("offset", 0, 1_000_000_000), "--budget": ("budget", 100, 1_000_000_000)}
_WORDS = {"--mode": ("mode", MODES), "--profile": ("profile", PROFILES), "--snapshot": ("snapshot_id", None)}
_SETTING_ASIDE = ("EVERDEX_DEBUG", "EVERDEX_ALWAYS_REHASH")
_WAIT_S = 75.0


def run(arguments: list[str]) -> int | None:
    """The exit code of `search` with these arguments, or None when the full command line has to do it."""
    if any(os.environ.get(name) for name in _SETTING_ASIDE):
        return None
    understood = parse(arguments[1:])
    if understood is None:
        return None
    request, start, render = understood
    if render == "text" and os.isatty(1):
        return None
    place = find(start)
    payload = exchange(place, request, _WAIT_S) if place is not None else None
    if payload is None or not payload.startswith(b"\0"):
        return None
    code, out, err = wire.split_rendered(payload)
    _write(2, err)
    _write(1, out)
    return code


def parse(arguments: list[str]) -> tuple[bytes, str, str] | None:
    """(request, where to look for the root, how to render), or None for anything not understood."""
    lists: dict[str, list[str]] = {}
    positionals: list[str] = []
    seen: dict[str, str] = {}
    render = "text"
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            positionals.append(argument)
        elif argument in ("--json", "--vimgrep"):
            if render not in ("text", argument[2:]):
                return None  # one or the other
            render = argument[2:]
        elif argument in _FLAGS:
            key, value = _FLAGS[argument]
            seen[key] = value
        elif name in _LISTS or name in _NUMBERS or name in _WORDS or name == "--color":
            if not equals or name == "-k":
                if equals:
                    return None
                value = next(rest, "")
            encoded = _value(name, value)
            if encoded is None:
                return None
            if name in _LISTS:
                lists.setdefault(_LISTS[name], []).append(encoded)
            elif name != "--color":
                seen[(_NUMBERS.get(name) or _WORDS[name])[0]] = encoded
        else:
            return None
    query = _string(positionals[0]) if 1 <= len(positionals) <= 2 else None
    if query is None or (render == "vimgrep" and "budget" in seen):
        return None
    seen.update((key, f"[{','.join(values)}]") for key, values in lists.items())
    fields = [f'"query":{query}', *(f'"{key}":{value}' for key, value in seen.items())]
    request = f'{{"id":1,"method":"search","render":"{render}","params":{{{",".join(fields)}}}}}'
    return request.encode(), positionals[1] if len(positionals) == 2 else ".", render


def _value(name: str, value: str) -> str | None:
    """An option's value as JSON; None when the full command line should complain about it (or draw)."""
    if name in _NUMBERS:
        _, low, high = _NUMBERS[name]
        fine = value.isascii() and value.isdigit() and len(value) < 10 and low <= int(value) <= high
        return str(int(value)) if fine else None
    if name == "--color":
        return value if value in ("auto", "never") else None
    if name in _WORDS:
        allowed = _WORDS[name][1]
        return _string(value) if value and (allowed is None or value in allowed) else None
    return _string(value) if value else None


def _string(text: str) -> str | None:
    """A JSON string; None for what is not text."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return None
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 0x20 else c for c in text) + '"'


def find(start: str) -> str | None:
    """The socket of the daemon that serves the root around a path, where that is beyond doubt."""
    home = os.environ.get("EVERDEX_HOME")
    home = os.path.abspath(home) if home else os.path.join(os.path.expanduser("~"), ".everdex")
    try:
        directory = os.path.realpath(start, strict=True)
        if not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        return _walk(os.path.join(home, "run"), directory)
    except (OSError, ValueError):
        return None


def _walk(run: str, start: str) -> str | None:
    if "/.git/" in start + "/" or not os.path.isdir(run):
        return None
    device = os.stat(start).st_dev
    directory, plain = start, None
    while True:
        found = os.stat(directory)
        # Where git would stop for a reason of its own, git is to be asked.
        if found.st_dev != device or os.path.lexists(os.path.join(directory, "HEAD")):
            return None
        is_top = os.path.lexists(os.path.join(directory, ".git"))
        if is_top or directory == start:
            socket = _entry(os.path.join(run, f"{found.st_dev:x}-{found.st_ino:x}"), directory, is_top)
            if is_top:
                return socket
            plain = socket
        above = os.path.dirname(directory)
        if above == directory:
            return plain  # no repository around: the directory itself is the root
        directory = above


def _entry(path: str, root: str, is_git: bool) -> str | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fields = os.fsdecode(os.read(handle, 16_384)).split("\n")
    finally:
        os.close(handle)
    expected = [_MAGIC, _PACKAGE, root, "git" if is_git else "plain", os.environ.get("EVERDEX_EMBEDDER", "")]
    return fields[3] if len(fields) == 6 and [*fields[:3], *fields[4:]] == expected else None


def exchange(place: str, request: bytes, wait_s: float) -> bytes | None:
    """The payload that answers one request; None when the daemon cannot be reached."""
    import _socket

    if len(request) > wire.MAX_REQUEST:
        return None
    try:
        found = os.lstat(place)
        if found.st_mode & 0o170000 != 0o140000 or found.st_uid != os.geteuid():
            return None
        stream = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        stream.settimeout(wait_s)
        stream.connect(place)
        if wire.peer_uid(stream.getsockopt(*wire.PEER_CREDENTIALS)) != os.geteuid():
            return None
        hello = b'{"hello":{"protocols":[1],"client":"everdex"}}'
        stream.sendall(wire.frame(hello) + wire.frame(request))
        greeting = wire.read_exactly(stream, wire.read_length(stream, wire.MAX_RESPONSE))
        if not greeting.startswith(b'{"hello":'):
            return None
        return wire.read_exactly(stream, wire.read_length(stream, wire.MAX_RESPONSE))
    except (OSError, wire.Hangup, wire.FrameTooLarge):
        return None


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except BrokenPipeError:
        return  # whoever read has seen enough
