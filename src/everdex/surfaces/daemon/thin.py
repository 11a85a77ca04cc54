"""The short way from a reading command to a running daemon: nothing is imported but `_socket` and our frames.

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
ROLES = ("definition", "read", "call", "reference", "write", "import", "inherit", "decorate", "override")
_FLAGS = {
    "-i": ("ignore_case", "true"), "--ignore-case": ("ignore_case", "true"), "--explain": ("explain", "true"),
    "--no-sync": ("no_sync", "true"), "--rerank": ("rerank", "true"), "--no-rerank": ("rerank", "false"),
    "--skipped": ("skipped", "true"), "--draw": ("draw", "true"), "--dark": ("dark", "true"),
    "--wait": ("wait", "true"),
}  # fmt: skip
_LISTS = {"--lang": "languages", "--path": "paths"}
_NUMBERS = {
    "-k": ("k", 1, 200), "--offset": ("offset", 0, 1_000_000_000), "--budget": ("budget", 100, 1_000_000_000),
    "--depth": ("depth", 1, 20), "--site-offset": ("site_offset", 0, 1_000_000_000),
}  # fmt: skip
_WORDS = {
    "--mode": ("mode", MODES), "--profile": ("profile", PROFILES), "--snapshot": ("snapshot_id", None),
    "--since": ("since", None), "--role": ("role", ROLES),
    "-o": ("output", None), "--output": ("output", None), "--picture": ("output", None),
}  # fmt: skip
# command -> (the parameter that its first positional is (`paths`: all of them), whether a root may follow, the options)
COMMANDS = {
    "search": ("query", True, (
        "-i", "--ignore-case", "--explain", "--no-sync", "--rerank", "--no-rerank", "--lang", "--path", "-k",
        "--offset", "--budget", "--mode", "--profile", "--snapshot", "--color",
    )),
    "symbols": ("name", True, ("--no-sync", "--snapshot", "--offset", "--color")),
    "refs": ("symbol", True, ("--no-sync", "--snapshot", "-k", "--offset", "--role", "--color", "--wait")),
    "callers": ("symbol", True, ("--no-sync", "--snapshot", "-k", "--offset", "--site-offset", "--color", "--wait")),
    "callees": ("symbol", True, ("--no-sync", "--snapshot", "-k", "--offset", "--site-offset", "--color", "--wait")),
    "impact": ("symbol", True, (
        "--no-sync", "--snapshot", "-k", "--offset", "--color", "--depth", "--picture", "--draw", "--dark",
    )),
    "map": (None, True, ("--no-sync", "--snapshot", "--budget", "--color")),
    "architecture": (None, True, ("--no-sync", "--snapshot", "--color", "--depth", "-o", "--output", "--dark")),
    "explain": ("path", False, ("--snapshot",)),
    "gate": ("paths", False, ("--since", "--no-sync", "--snapshot")),
    "state": ("paths", False, ("--since", "--no-sync", "--snapshot")),
    "files": (None, True, ("--skipped", "--snapshot")),
    "contexts": (None, True, ("--no-sync", "--snapshot", "--color")),
    "status": (None, True, ("--no-sync", "--snapshot")),
    "health": (None, True, ("--snapshot",)),
    "audit": (None, True, ("--snapshot",)),
}  # fmt: skip
OF_THE_GRAPH = ("refs", "callers", "callees", "impact", "map", "architecture")
_OF_THE_WHOLE = ("search", "map", "architecture", "files")
_PICTURED = ("impact", "architecture")
_BUSY, _FAILED = 10, 70
_DRAWN = ("search", "symbols", "contexts", *OF_THE_GRAPH)
_SETTING_ASIDE = ("EVERDEX_DEBUG", "EVERDEX_ALWAYS_REHASH")
_MAX_PATHS = 100
_WAIT_S = 75.0


def run(arguments: list[str]) -> int | None:
    """The exit code of a command line, or None when the full one has to do it."""
    if any(os.environ.get(name) for name in _SETTING_ASIDE):
        return None
    understood = parse(arguments)
    if understood is None:
        return None
    asked, start = understood
    if asked[0] in _DRAWN and asked[3] == "text" and os.isatty(1):
        return None
    place = find(start)
    if place is not None and asked[0] in _OF_THE_WHOLE and start != "." and os.path.realpath(start) != place[1]:
        return None  # the full command line says that a part was named
    encoded = request(*asked, place[1]) if place is not None else None
    payload = exchange(place[0], encoded, _WAIT_S) if place is not None and encoded is not None else None
    answered = wire.split_rendered(payload) if payload is not None else None
    if answered is None:
        return None
    code, parts = answered
    if code == _BUSY and asked[0] in (*OF_THE_GRAPH, "files"):
        # The full command line waits while the graph is made, and shows how far it is; it lists all of many files.
        return None
    file = next((data for kind, data in parts if kind == wire.FILE), None)
    if file is not None:
        from everdex.surfaces.daemon import thin_pictures

        if not thin_pictures.put(asked[1]["output"], file):
            return None  # the full command line says why
    return code if all(_write(kind, data) for kind, data in parts if kind != wire.FILE) else _FAILED


def parse(arguments: list[str]) -> tuple[tuple[str, dict[str, str], list[str], str], str] | None:
    """((command, JSON of each option, what it is about, how to render), where the root is); None in doubt."""
    command, *options = arguments
    subject_is, rooted, known = COMMANDS[command]
    lists: dict[str, list[str]] = {}
    positionals: list[str] = []
    fields: dict[str, str] = {}
    render = "text"
    rest = iter(options)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            positionals.append(argument)
        elif argument == "--json":
            render = "json"
        elif argument == "--daemon":
            continue  # if none runs, the full command line starts it
        elif name not in known:
            return None
        elif argument in _FLAGS:
            key, value = _FLAGS[argument]
            fields[key] = value
        elif name in _FLAGS or (equals and name in ("-k", "-o")):
            return None
        else:
            encoded = _value(name, value if equals else next(rest, ""))
            if encoded is None:
                return None
            if name in _LISTS:
                lists.setdefault(_LISTS[name], []).append(encoded)
            elif name != "--color":
                fields[(_NUMBERS.get(name) or _WORDS[name])[0]] = encoded
    count = 0 if subject_is is None else len(positionals) if subject_is == "paths" else 1
    subjects, positionals = positionals[:count], positionals[count:]
    needed = subject_is is not None and command != "state"
    if len(positionals) > rooted or len(subjects) > _MAX_PATHS or (needed and not subjects):
        return None
    fields.update((key, f"[{','.join(values)}]") for key, values in lists.items())
    if command in _PICTURED:
        from everdex.surfaces.daemon import thin_pictures

        if not thin_pictures.fit(command, fields, render):
            return None
    return (command, fields, subjects, render), positionals[0] if positionals else "."


def request(command: str, fields: dict[str, str], subjects: list[str], render: str, root: str) -> bytes | None:
    """The frame's JSON; None for what is not text, or a path that only the full command line can place."""
    if COMMANDS[command][0] == "paths":
        named = [_string(_from_root(path, root)) for path in subjects]
        known = [name for name in named if name is not None]
        if len(known) < len(named):
            return None
        fields = {"paths": f"[{','.join(dict.fromkeys(known))}]", **fields}
    elif subjects:
        subject = subjects[0]
        if command == "explain":
            # Elsewhere an absolute path may belong to another repository, and a relative one may lead out of this.
            absolute = os.path.abspath(subject)
            if os.path.isabs(subject) or not absolute.startswith(root + "/"):
                return None
            subject = absolute
        elif COMMANDS[command][0] == "symbol":
            subject = placed(subject, root)
        elif command == "symbols" and os.path.isfile(subject):
            inside = _from_root(subject, root)
            subject = subject if os.path.isabs(inside) else inside
        text = _string(subject)
        if text is None:
            return None
        fields = {COMMANDS[command][0] or "": text, **fields}
    params = ",".join(f'"{key}":{value}' for key, value in fields.items())
    return f'{{"id":1,"method":"{command}","render":"{render}","params":{{{params}}}}}'.encode()


def placed(symbol: str, root: str) -> str:
    """`path`, `path:line`, `path::name` or `path:name` of a file named from where we are, named from the root."""
    path, inside, _ = symbol.partition("::")
    if not inside:
        for _ in "line", "column":
            above, colon, number = path.rpartition(":")
            if above and colon and number.isdecimal():
                path = above
        above, _, name = symbol.partition(":")
        if name and not name[0].isdecimal() and not os.path.isfile(path):
            path = above
    if not os.path.isfile(path):
        return symbol
    named = _from_root(path, root)
    return symbol if os.path.isabs(named) else named + symbol[len(path) :]


def _from_root(path: str, root: str) -> str:
    """A path as the index names it; what is outside stays absolute. Only its directory's links are followed."""
    parent, name = os.path.split(os.path.abspath(path))
    real = os.path.join(os.path.realpath(parent), name)
    return real[len(root) + 1 :] if real.startswith(root + "/") else real


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


def find(start: str) -> tuple[str, str] | None:
    """(socket, root) of the daemon that serves the root around a path, where that is beyond doubt."""
    try:
        directory = os.path.realpath(start, strict=True)
        if not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        return _walk(os.path.join(home(), "run"), directory)
    except (OSError, ValueError):
        return None


def home() -> str:
    """EVERDEX_HOME, or ~/.everdex."""
    chosen = os.environ.get("EVERDEX_HOME")
    return os.path.abspath(chosen) if chosen else os.path.join(os.path.expanduser("~"), ".everdex")


def _walk(run: str, start: str) -> tuple[str, str] | None:
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


def _entry(path: str, root: str, is_git: bool) -> tuple[str, str] | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fields = os.fsdecode(os.read(handle, 16_384)).split("\n")
    finally:
        os.close(handle)
    expected = [_MAGIC, _PACKAGE, root, "git" if is_git else "plain", os.environ.get("EVERDEX_EMBEDDER", "")]
    return (fields[3], root) if len(fields) == 6 and [*fields[:3], *fields[4:]] == expected else None


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
        stream.settimeout(min(wire.GREETING_S, wait_s))
        wire.at(place, stream.connect)
        if wire.peer_uid(stream.getsockopt(*wire.PEER_CREDENTIALS)) != os.geteuid():
            return None
        hello = b'{"hello":{"protocols":[1],"client":"everdex"}}'
        stream.sendall(wire.frame(hello) + wire.frame(request))
        greeting = wire.read_exactly(stream, wire.read_length(stream, wire.MAX_RESPONSE))
        if not greeting.startswith(b'{"hello":'):
            return None
        stream.settimeout(wait_s)
        return wire.read_exactly(stream, wire.read_length(stream, wire.MAX_RESPONSE))
    except (OSError, wire.Hangup, wire.FrameTooLarge):
        return None


def _write(handle: int, data: bytes) -> bool:
    """Write all of it; true also when the reader closed the pipe early."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except BrokenPipeError:
        return True
    except OSError as error:
        return handle == 2 or (_write(2, f"everdex: standard output: {error.strerror}\n".encode()) and False)
    return True
