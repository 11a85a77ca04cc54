"""Opening a file below the root, and nowhere else, whatever the tree does meanwhile.

`openat2` refuses every escape inside the kernel; where it is missing or forbidden the file is opened first
and then asked where it really is. Either way no symlink is followed: callers pass real paths. A name without a
directory cannot lead anywhere else, so it needs neither, nor the foreign function library.
"""

from __future__ import annotations

import errno
import os
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from everdex.errors import StorageFailure

if TYPE_CHECKING:
    import ctypes

_SYS_OPENAT2: Final = 437  # the same number on every architecture that has it
_RESOLVE_NO_MAGICLINKS: Final = 0x02
_RESOLVE_NO_SYMLINKS: Final = 0x04
_RESOLVE_BENEATH: Final = 0x08
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# EPERM is what a seccomp filter written before openat2 answers.
_MISSING: Final = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.E2BIG})
_OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_RACE_RETRIES: Final = 8


def path_bytes(disk_path: str) -> bytes:
    """The bytes on disk of a `disk_path`, independent of the locale."""
    return disk_path.encode("utf-8", "surrogateescape")


def open_root(root: str | os.PathLike[str]) -> int:
    """A descriptor that stands for the root; the caller closes it."""
    return os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def read_beneath(root: int | str | os.PathLike[str], disk_path: str | bytes, *, directory: bool = False) -> int:
    """Open for reading below the root, given as a descriptor or a path; the caller closes the descriptor.

    Raises OSError: EXDEV or ELOOP when the path leads out of the root or through a symlink. Never blocks on a
    FIFO; the caller checks what it got with fstat.
    """
    try:
        if isinstance(root, int):
            return _read_beneath(root, disk_path, directory)
        root_descriptor = open_root(root)
        try:
            return _read_beneath(root_descriptor, disk_path, directory)
        finally:
            os.close(root_descriptor)
    except OSError as error:
        blame(error)
        raise


def blame(error: OSError) -> None:
    """Raise `StorageFailure` for what this process lacks: whoever takes it for the tree's fault loses files."""
    if error.errno in _OURS:
        hint = "close something, or raise the limit (`ulimit -n`)"
        raise StorageFailure(os.strerror(error.errno), hint=hint) from error


def _read_beneath(root: int, disk_path: str | bytes, directory: bool) -> int:
    path = path_bytes(disk_path) if isinstance(disk_path, str) else disk_path
    if b"\0" in path:
        raise OSError(errno.EINVAL, "path contains a NUL byte")
    flags = _FLAGS | (os.O_DIRECTORY if directory else 0)
    if b"/" not in path and path != b"..":
        return os.open(path, flags, dir_fd=root)  # O_NOFOLLOW is in the flags
    if openat2_works():
        return _openat2(root, path, flags)
    return _open_then_verify(root, path, flags)


@cache
def openat2_works() -> bool:
    """Whether this kernel has `openat2` and lets us call it."""
    root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(_openat2(root, b".", _FLAGS | os.O_DIRECTORY))
    except OSError as error:
        if error.errno in _MISSING:
            return False
        raise
    finally:
        os.close(root)
    return True


@cache
def _syscall() -> tuple[ctypes._NamedFuncPointer, Any]:
    """`syscall`, and the type of openat2's flags, mode and resolve."""
    import ctypes

    how = ctypes.c_uint64 * 3
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    function.argtypes = (
        ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(how), ctypes.c_size_t,
    )  # fmt: skip
    return function, how


def _openat2(root: int, path: bytes, flags: int) -> int:
    import ctypes

    function, how_type = _syscall()
    how = how_type(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    for _ in range(_RACE_RETRIES):
        descriptor: int = function(_SYS_OPENAT2, root, path, ctypes.byref(how), ctypes.sizeof(how))
        if descriptor >= 0:
            return descriptor
        number = ctypes.get_errno()
        # The kernel saw a rename somewhere while it walked and cannot vouch for the answer.
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number), os.fsdecode(path))


def _open_then_verify(root: int, path: bytes, flags: int) -> int:
    if path.startswith(b"/") or b".." in path.split(b"/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), os.fsdecode(path))
    descriptor = os.open(path, flags, dir_fd=root)
    try:
        expected = os.path.normpath(os.path.join(_place_of(root), path))
        if _place_of(descriptor) == expected:
            return descriptor
        if os.fstat(descriptor).st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(path))
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), os.fsdecode(path))
    except BaseException:
        os.close(descriptor)
        raise


def _place_of(descriptor: int) -> bytes:
    return os.readlink(b"/proc/self/fd/%d" % descriptor)
