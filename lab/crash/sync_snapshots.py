"""Take a snapshot of a program's files at each sync, before the sync happens.

Pages of mapped memory change without a system call. A sync covers the content that a page has when
the sync begins. Therefore, seccomp notifications hold each call of
:data:`~lab.crash.syscall_pause.CALLS` in the kernel until the files have been read. Stopping the
program by a signal would take effect only after the call.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import select
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.crash import syscall_pause

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION, _REPLY = struct.Struct("=QIIi60x"), struct.Struct("=QqiI")
#: The call is carried out as if it had not been paused.
_CONTINUE = 1

#: The content of each file below a directory, by its path there.
Files = Mapping[str, bytes]


class Snapshots:
    """Read the files below a directory repeatedly; equal contents are stored once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last: Files = {}

    def take(self) -> Files:
        """Return all files, without those that disappear during the call. Raises ``OSError``."""
        results: dict[str, bytes] = {}
        # os.walk takes a folder that goes for an empty one; Path.rglob raises, until Python 3.13.
        children = (Path(at, name) for at, _, names in os.walk(self.folder) for name in names)
        for path in sorted(children):
            name = path.relative_to(self.folder).as_posix()
            # Any other error would make the trace lie.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                if path.is_file():
                    content, before = path.read_bytes(), self._last.get(name)
                    results[name] = before if before == content else content
        self._last = results
        return results


@dataclass(frozen=True)
class Look:
    """A snapshot of the files, taken before a paused call was resumed."""

    #: Seconds since 1970.
    time: float
    #: Number of the thread that made the call.
    thread: int
    files: Files


class Stops:
    """Pause the calls of one program, from :meth:`command` to :meth:`close`, in a thread.

    Each sync is delayed by at least ``slow`` seconds, as on a busy disk. :attr:`looks` has a
    snapshot of the files for each call, in order. Raises ``OSError`` if the listener cannot start.
    """

    def __init__(self, look: Callable[[], Files], slow: float = 0.0) -> None:
        self.slow = slow
        self.looks: list[Look] = []
        #: Why the calls could not be paused, or why the listener stopped. Its calls fail from then
        #: on, so the program does not behave as it would.
        self.why_not = ""
        self._look = look
        self._syncs = syscall_pause.sync_numbers(platform.machine())
        #: When each held call continues, with its number; the first one first.
        self._held: list[tuple[float, int]] = []
        with contextlib.ExitStack() as created:
            folder = created.enter_context(tempfile.TemporaryDirectory(prefix="walproof-stops-"))
            self._place = Path(folder) / "socket"
            self._server = created.enter_context(socket.socket(socket.AF_UNIX))
            self._server.bind(str(self._place))
            self._server.listen()
            self._over, self._end = map(created.enter_context, socket.socketpair())
            self._thread = threading.Thread(target=self._listen, daemon=True)
            self._thread.start()
            self._made = created.pop_all()

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the command that starts a program with its calls paused."""
        return [sys.executable, "-I", "-S", syscall_pause.__file__, str(self._place), *words]

    def close(self) -> None:
        """Stop listening. The program must have ended, because its later calls would fail."""
        self._end.close()
        self._thread.join()
        self._made.close()

    def _listen(self) -> None:
        with contextlib.ExitStack() as held:
            held.enter_context(self._server)  # a program that comes later does not wait for ever
            try:
                notifier = self._accepted()
                if notifier is not None:
                    held.callback(os.close, notifier)
                    self._answer(notifier)
            except Exception as error:
                self.why_not = str(error) or repr(error)

    def _accepted(self) -> int | None:
        """Return the notification descriptor, or None if the program ended without sending one."""
        if not self._happened(self._server.fileno()):
            return None
        connected, _ = self._server.accept()
        with connected:
            message, descriptors, _, _ = socket.recv_fds(connected, 4096, 1)
        if not descriptors:
            self.why_not = message.decode(errors="replace").strip("\0") or "its descriptor was lost"
            return None
        return descriptors[0]

    def _answer(self, notifier: int) -> None:
        """Resume one call after another until the program has ended."""
        while (events := self._happened(notifier)) is not None:
            if events & select.POLLIN:
                self._handle_call(notifier)
            elif events:
                return
            while self._held and self._held[0][0] <= time.monotonic():
                self._go_on(notifier, self._held.pop(0)[1])

    def _happened(self, descriptor: int) -> int | None:
        """Wait for a descriptor or the end of a delay. Return None after :meth:`close`."""
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.register(self._over, select.POLLIN)
        due = self._held[0][0] - time.monotonic() if self._held else None
        results = dict(waiting.poll(None if due is None else max(0.0, due * 1000)))
        return None if self._over.fileno() in results else results.get(descriptor, 0)

    def _handle_call(self, notifier: int) -> None:
        """Take a snapshot for a call that has begun, and resume the call now or later."""
        room = bytearray(_NOTIFICATION.size)
        if not _ask_kernel(notifier, _RECEIVE, room):
            return  # a signal took the call back before it was heard; it comes again
        number, thread, _, call = _NOTIFICATION.unpack(room)
        files = self._look()
        self.looks.append(Look(time.time(), thread, files))
        if self.slow and call in self._syncs:
            self._held.append((time.monotonic() + self.slow, number))
        else:
            self._go_on(notifier, number)

    def _go_on(self, notifier: int, number: int) -> None:
        # A signal may have taken it back while it waited: then it comes again.
        _ask_kernel(notifier, _SEND, bytearray(_REPLY.pack(number, 0, 0, _CONTINUE)))


def _ask_kernel(notifier: int, what: int, room: bytearray) -> bool:
    """Ask the kernel about a call; whether the call is still there. Raises ``RuntimeError``."""
    while True:
        try:
            fcntl.ioctl(notifier, what, room)
            return True
        except FileNotFoundError:
            return False
        except InterruptedError:
            if what == _RECEIVE:
                return False  # it is heard again if it is still there, and not waited for if not
        except OSError as error:
            # Kernels before 5.5 stop a call and cannot let it go on.
            raise RuntimeError(f"this kernel lets no call go on: {error.strerror}") from None
