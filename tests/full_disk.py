"""A disk that takes no more, without a disk of one's own: a limit on how long this process's files may grow.

The system itself refuses the write (EFBIG in the place of ENOSPC), also to SQLite, Arrow, safetensors and
OpenVINO, whose own words for it are what the package has to understand.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_beyond(size_bytes: int) -> Iterator[None]:
    """Within it no file grows beyond `size_bytes`; what is longer already can be read."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
