"""The headers of C and POSIX: `#include <…>` of one of these means the implementation's.

Those of C++ have no ending and are never taken for a file of the repository.
"""

from __future__ import annotations

from typing import Final

_C: Final = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
)
_POSIX: Final = (
    "aio arpa/inet cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue ndbm "
    "net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn strings stropts "
    "sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/time "
    "sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios trace ulimit unistd utime utmpx wordexp"
)
STANDARD_HEADERS: Final = frozenset(f"{name}.h" for name in f"{_C} {_POSIX}".split())
