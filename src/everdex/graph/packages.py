"""Which package a name outside the root belongs to, by language; '' when it is the language's own library.

Knows the names of standard libraries and how languages write names; nothing of what is installed.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.graph.python.names.standard import MODULES
from everdex.languages import C_FAMILY, JAVASCRIPT, JVM


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())



_NODE: Final = _words(
    "assert async_hooks buffer child_process cluster console crypto dgram diagnostics_channel dns domain events fs "
    "http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream "
    "string_decoder test timers tls tty url util v8 vm wasi worker_threads zlib"
)
_HEADERS: Final = _words(
    "algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable "
    "coroutine deque exception execution expected filesystem format forward_list fstream functional future generator "
    "initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource "
    "mutex new numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set "
    "shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token streambuf "
    "string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map "
    "unordered_set utility valarray variant vector version"
)
_C_HEADERS: Final = _words(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype dirent dlfcn fcntl "
    "grp netdb poll pthread pwd sched semaphore spawn strings syslog termios unistd utime windows winsock2"
)
_RUBY: Final = _words(
    "English base64 benchmark bigdecimal cgi coverage csv date delegate digest drb erb etc fileutils find forwardable "
    "io ipaddr irb json logger matrix monitor net objspace observer open-uri open3 openssl optparse ostruct pathname "
    "pp prime pstore psych rbconfig readline ripper securerandom set shellwords singleton socket stringio strscan "
    "tempfile time timeout tmpdir tsort uri weakref yaml zlib"
)
_OWN: Final = {
    "rust": frozenset(("std", "core", "alloc", "proc_macro", "crate", "self", "super")),
    "swift": frozenset(("Swift", "Foundation", "Darwin", "Glibc", "Dispatch", "XCTest", "FoundationNetworking")),
    "csharp": frozenset(("System",)),
}
_JVM_OWN: Final = frozenset(("java", "javax", "jdk", "kotlin", "scala", "sun"))


def package_of(language: str, name: str) -> str:
    """The package of an outside name: `numpy` of `numpy.linalg`, `@scope/name` of `@scope/name/part`."""
    if language == "go":
        parts = name.split("/")
        return "/".join(parts[:3]) if "." in parts[0] else ""
    if language in JAVASCRIPT:
        return _javascript(name)
    if language in C_FAMILY:
        return _header(name)
    parts = [part for part in re.split(r"::|[./\\:]", name) if part]
    if not parts:
        return ""
    first = parts[0]
    if language in JVM:
        lower = [part for part in parts[:3] if part[:1].islower()]
        return "" if first in _JVM_OWN else ".".join(lower) or first
    if language == "python":
        return "" if first in MODULES else first
    if language == "ruby":
        return "" if first in _RUBY else first
    if language == "php":
        return "\\".join(parts[:2]) if len(parts) > 1 else ""  # without a namespace it is PHP's own
    return "" if first in _OWN.get(language, ()) else first


def _javascript(name: str) -> str:
    if name.startswith((".", "/")):
        return ""
    parts = name.removeprefix("node:").split("/")
    if parts[0] in _NODE:
        return ""
    return "/".join(parts[:2]) if name.startswith("@") else parts[0]


def _header(name: str) -> str:
    first, slash, _ = name.partition("/")
    if slash:
        return "" if first in ("sys", "netinet", "arpa", "net", "bits", "machine", "linux") else first
    stem = first.removesuffix(".h")
    own = stem in _C_HEADERS if first.endswith(".h") else first in _HEADERS or first.removeprefix("c") in _C_HEADERS
    return "" if own else first
