"""The step into a box, as plain data: for whoever forks, and must not know more than this."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from conformance.isolation import landlock, namespaces


@dataclass(frozen=True)
class Entrance:
    """What a process gives up. ``rules`` is a descriptor of Landlock, or None without it.

    All paths exist and are resolved; ``limits`` are those of :mod:`resource`, by number.
    """

    work: str
    writes: Sequence[str]
    hides: Sequence[str]
    namespaces: bool
    rules: int | None
    limits: Mapping[int, int] = field(default_factory=dict)

    def enter(self) -> None:
        """Put this process into the box, for good: between fork and exec. Raises ``OSError``.

        What the system offers must hold; the program is not run if it does not.
        """
        if self.namespaces:
            namespaces.enter([Path(one) for one in self.writes], [Path(one) for one in self.hides])
        if self.rules is not None:
            landlock.restrict(self.rules)
        os.chdir(self.work)  # anew: the folder from before belongs to the old namespace
        for limit, value in self.limits.items():
            hard = resource.getrlimit(limit)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (most, most))

    def to_json(self) -> str:
        """As text, for another process that has the same descriptor open."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Entrance:
        """The opposite of :meth:`to_json`."""
        told = json.loads(text)
        return cls(**told | {"limits": {int(key): n for key, n in told["limits"].items()}})
