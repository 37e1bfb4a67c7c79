"""Looks at the files of a program at each of its syncs, before the sync happens.

Pages of mapped memory change without a system call. What they hold when a sync begins is what that
sync covers; what they hold a moment later may not be. So each call that orders what is on the disk
(:data:`~walproof.crash.stopped.CALLS`) waits in the kernel until the files were read here.

The system's own means for that is a notification of seccomp. A stop by a signal, which strace can
inject, takes effect only when the call has returned, interrupts other threads, and is seen by
polling; a tracer of our own would have to do all that strace does.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from walproof.crash import stopped

PAGE = 4096
"""What the system writes back of mapped memory at a time."""
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION, _REPLY = struct.Struct("=QII64x"), struct.Struct("=QqiI")
_GO_ON = 1
"""The call is carried out as if nobody had looked."""

Pages = list[bytes]
"""The content of a file, page by page; the last one may be short."""
Seen = Mapping[str, Pages]
"""Each file below the folder, by its path there."""


class Eyes:
    """Reads the files below a folder again and again; pages that did not change are kept once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last: dict[str, tuple[bytes, Pages]] = {}

    def look(self) -> Seen:
        """All files as they are now. One that goes meanwhile is left out."""
        found: dict[str, tuple[bytes, Pages]] = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            try:
                content = path.read_bytes() if path.is_file() else None
            except FileNotFoundError:
                continue
            if content is not None:
                found[name] = self._kept(name, content)
        # Only the last content is held whole, and with it the pages of all the looks before.
        self._last = found
        return {name: pages for name, (_, pages) in found.items()}

    def _kept(self, name: str, content: bytes) -> tuple[bytes, Pages]:
        before, pages = self._last.get(name, (b"", []))
        if before == content:
            return before, pages
        new = []
        for number, at in enumerate(range(0, len(content), PAGE)):
            page = content[at : at + PAGE]
            same = number < len(pages) and pages[number] == page
            new.append(pages[number] if same else page)
        return content, new


class Stops:
    """Listens for the calls of one program, in a thread, from :meth:`command` to :meth:`close`.

    :attr:`seen` has what the files held at each call: by the number of the thread that called, and
    by how many of its calls had been stopped before.
    """

    def __init__(self, look: Callable[[], Seen]) -> None:
        self.seen: dict[tuple[int, int], Seen] = {}
        self.why_not = ""
        """Why the program could not be stopped, if so."""
        self._look = look
        self._counts: Counter[int] = Counter()
        self._folder = tempfile.TemporaryDirectory(prefix="walproof-stops-")
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self._place))
        self._server.listen()
        self._over, self._end = os.pipe()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def _place(self) -> Path:
        return Path(self._folder.name) / "socket"

    def command(self, words: Sequence[str]) -> list[str]:
        """The words that start a program with its calls stopped."""
        return [sys.executable, "-I", "-S", stopped.__file__, str(self._place), *words]

    def close(self) -> None:
        """Listen no more: calls that are still made then fail, so the program is to be gone."""
        os.close(self._end)
        self._thread.join()
        os.close(self._over)
        self._server.close()
        self._folder.cleanup()

    def _listen(self) -> None:
        if not self._ready(self._server.fileno()):
            return
        connected, _ = self._server.accept()
        with connected:
            said, descriptors, _, _ = socket.recv_fds(connected, 4096, 1)
        if not descriptors:
            self.why_not = said.decode(errors="replace")
            return
        (told,) = descriptors
        try:
            while self._ready(told):
                if not self._one(told):
                    return
        finally:
            os.close(told)

    def _ready(self, descriptor: int) -> bool:
        """Wait for a descriptor; False if it is over."""
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.register(self._over, select.POLLIN)
        happened = dict(waiting.poll())
        return self._over not in happened and bool(happened.get(descriptor, 0) & select.POLLIN)

    def _one(self, told: int) -> bool:
        """One call: look, and let it go on."""
        room = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(told, _RECEIVE, room)
        except (FileNotFoundError, InterruptedError):
            return True  # a signal took the call back before it was heard; it comes again
        number, thread, _ = _NOTIFICATION.unpack(room)
        seen = self._look()
        try:
            fcntl.ioctl(told, _SEND, _REPLY.pack(number, 0, 0, _GO_ON))
        except FileNotFoundError:
            return True  # likewise, while the files were read
        self.seen[thread, self._counts[thread]] = seen
        self._counts[thread] += 1
        return True


def why_not() -> str:
    """Why no program can be stopped here, or nothing: a trivial one is."""
    if not sys.platform.startswith("linux"):
        return "only Linux has seccomp"
    stops = Stops(dict)
    try:
        done = subprocess.run(stops.command(["true"]), capture_output=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the launcher does not run: {error}"
    finally:
        stops.close()
    return stops.why_not or ("" if done.returncode == 0 else "the launcher does not run")
