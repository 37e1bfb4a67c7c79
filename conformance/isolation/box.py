"""The box: what is forbidden to a program, as far as the system can forbid it to a plain user.

Landlock and namespaces do the same in part. Each is used where it is offered, since each can be
missing; :meth:`Box.could` says what does not hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from conformance import REPORTS, ROOT, VECTORS
from conformance.isolation import landlock, words
from conformance.isolation.entering import Entrance
from conformance.isolation.environment import environment, existing, from_anywhere
from conformance.isolation.offered import Offered, offered


class Box:
    """A box with a folder, in which programs are started one after the other, or beside each other.

    A program in it works in an empty folder below ``folder``, or in ``work``. It can change what is
    below ``folder`` and ``writes``, and nothing else; it has no network. ``reads`` are the only
    places that it can read; None stands for everything that is not below ``hides``. ``limits``
    are those of :mod:`resource`, by number.
    """

    def __init__(
        self,
        folder: Path,
        *,
        reads: Iterable[Path] | None = None,
        hides: Iterable[Path] = (),
        writes: Iterable[Path] = (),
        work: Path | None = None,
        limits: Mapping[int, int] | None = None,
        offer: Offered | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self.offer = offered() if offer is None else offer
        self.reads = None if reads is None else existing(reads)
        self.work, self.temporary = work or self.folder / "work", self.folder / "tmp"
        for path in (self.work, self.temporary):
            path.mkdir(parents=True, exist_ok=True)
        self.writes = existing([self.folder, *writes])
        # A place that was given is not hidden, whatever it is part of.
        self.hides = [
            path
            for path in existing(hides)
            if not any(path == one or path in one.parents for one in self.writes)
        ]
        self.limits = dict(limits or {})
        self._rules: int | None = None

    def command(self, command: Sequence[str]) -> list[str]:
        """A command as it must be said in the box, where the current folder is another."""
        return from_anywhere(command, self.temporary)

    def environment(self, command: Sequence[str]) -> dict[str, str]:
        """The environment of a program under test, for its command."""
        return environment(os.environ, self.temporary, command, ROOT)

    def bare(self) -> dict[str, str]:
        """An environment with nothing of the caller's, for code that needs no more."""
        temporary = dict.fromkeys(("TMPDIR", "TMP", "TEMP", "HOME"), str(self.temporary))
        return {"PATH": os.defpath, "LANG": "C.UTF-8", **temporary}

    def prepare(self) -> None:
        """Make the rules, before the first program: afterwards :meth:`enter` can use them."""
        if self._rules is None and self.offer.landlock:
            network = self.offer.namespaces  # one of its own, in which it may do what it likes
            self._rules = landlock.ruleset(
                self.offer.landlock, self.reads, self._hidden_by_rules, self.writes, network
            )

    @property
    def _hidden_by_rules(self) -> list[Path]:
        return [] if self.offer.namespaces else self.hides

    def entrance(self) -> Entrance:
        """The step into the box, which :meth:`prepare` has made ready."""
        return Entrance(
            str(self.work),
            [str(path) for path in self.writes],
            [str(path) for path in self.hides],
            self.offer.namespaces,
            self._rules,
            self.limits,
        )

    def enter(self) -> None:
        """Put this process into the box: see :meth:`Entrance.enter`."""
        self.entrance().enter()

    def close(self) -> None:
        """Let go of the rules. Programs that were started keep them."""
        if self._rules is not None:
            os.close(self._rules)
            self._rules = None

    def held_by(self) -> list[str]:
        """What isolates a program in this box, in a few words each."""
        return words.held_by(self.offer)

    def could(self) -> list[str]:
        """What a program in this box could do all the same, in a few words each."""
        return words.could(self.offer, self.hides, self.reads is not None)


def evidence() -> list[Path]:
    """Where the answers lie that programs under test are asked for."""
    return [VECTORS, *_repository(ROOT / ".git"), REPORTS.absolute()]


def _repository(git: Path) -> list[Path]:
    """The history holds the vectors too; that of a second work tree lies in the first."""
    if not git.is_file():
        return [git]
    told = git.read_text(errors="replace").removeprefix("gitdir:").strip()
    first = next((path for path in Path(told).parents if path.name == ".git"), None)
    return [git] if first is None else [git, first]
