"""Pause the system calls with which a program changes or syncs files, before they take effect."""

# A signal would stop the program only after the system call, but a seccomp notification stops it
# before the call.
from __future__ import annotations

import bisect
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.crash import syscall_pause

_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_NOTIFICATION, _REPLY = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_NUMBER = struct.Struct("=Q")
#: In a reply, this flag lets the kernel carry out the call unchanged.
_CONTINUE = 1


@dataclass(frozen=True)
class SystemCall:
    """A paused call. Its name is a key of :data:`~lab.crash.syscall_pause.CALLS`."""

    thread: int
    name: str
    arguments: Sequence[int]


#: A function that the listener calls just before a delayed call continues.
Continues = Callable[[], None]


class Listener:
    """Pause the system calls of one program until :meth:`close`.

    The listener runs in a thread and calls ``begins`` for each paused call. For a sync, ``begins``
    returns a second function. The listener then delays the sync by ``slow`` seconds, as on a busy
    disk, and calls this function just before the sync continues. :attr:`lock` is held while either
    function runs. Raises ``OSError`` if the listener cannot start.
    """

    def __init__(self, begins: Callable[[SystemCall], Continues | None], slow: float = 0.0) -> None:
        self.lock = threading.Lock()
        #: Reason why the calls could not be paused, or why the listener stopped. After a stop, the
        #: paused calls of the program fail, so the trace is not valid.
        self.why_not = ""
        self._begins, self._slow = begins, slow
        self._names = syscall_pause.names_by_number(platform.machine())
        #: The paused calls, in the order in which they continue. Each item has the time at which
        #: the call continues, a notification id, and a function to call first.
        self._held: list[tuple[float, int, Continues | None]] = []
        with contextlib.ExitStack() as created:
            folder = created.enter_context(tempfile.TemporaryDirectory(prefix="walproof-calls-"))
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
            # Once the socket is closed, a program that connects later fails instead of waiting.
            held.enter_context(self._server)
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
        while (events := self._happened(notifier)) is not None:
            with self.lock:
                if events & select.POLLIN:
                    self._handle_call(notifier)
                elif events:
                    return
                while self._held and self._held[0][0] <= time.monotonic():
                    _, number, continues = self._held.pop(0)
                    # A call that a signal has interrupted is not recorded here, because the program
                    # repeats it.
                    if continues and _ask_kernel(notifier, _IS_VALID, _NUMBER.pack(number)):
                        continues()
                    _ask_kernel(notifier, _SEND, _REPLY.pack(number, 0, 0, _CONTINUE))

    def _happened(self, descriptor: int) -> int | None:
        """Wait for a descriptor or the end of a delay. Return None after :meth:`close`."""
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.register(self._over, select.POLLIN)
        due = self._held[0][0] - time.monotonic() if self._held else None
        results = dict(waiting.poll(None if due is None else max(0.0, due * 1000)))
        return None if self._over.fileno() in results else results.get(descriptor, 0)

    def _handle_call(self, notifier: int) -> None:
        room = bytearray(_NOTIFICATION.size)
        if not _ask_kernel(notifier, _RECEIVE, room):
            # A signal interrupted the call, and the program repeats it.
            return
        number, thread, _, call, _, _, *arguments = _NOTIFICATION.unpack(room)
        continues = self._begins(SystemCall(thread, self._names[call], arguments))
        due = time.monotonic() + (self._slow if continues else 0)
        bisect.insort(self._held, (due, number, continues), key=lambda each: each[0])


def _ask_kernel(notifier: int, what: int, room: bytes | bytearray) -> bool:
    """Send a request to the kernel; return whether the call still exists.

    Raises ``RuntimeError`` if the kernel cannot continue a paused call.
    """
    while True:
        try:
            fcntl.ioctl(notifier, what, room)
            return True
        except FileNotFoundError:
            return False
        except InterruptedError:
            if what == _RECEIVE:
                # If the call still exists, the next poll reports it again.
                return False
        except OSError as error:
            # Kernels before 5.5 can pause a call, but cannot continue it.
            raise RuntimeError(
                f"this kernel cannot continue a stopped call: {error.strerror}"
            ) from None
