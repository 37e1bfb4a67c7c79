"""What a process that tries inputs is told: as JSON, from whoever starts it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from reference_impl.register import registers

GUIDED, BLIND = "coverage", "blind"
ENGINES = (GUIDED, BLIND)

PROGRESS, LAST = "progress.json", "last"
"""In the scratch folder: how far it is; the input that is being tried, of the blind engine."""


@dataclass(frozen=True)
class Settings:
    """One run of one format and target.

    ``seconds`` and ``inputs`` bound it, 0 for no bound; one of them is given. ``findings`` and
    ``scratch`` are folders.
    """

    format: str
    target: str
    engine: str
    seed: int
    seconds: float
    inputs: int
    findings: str
    scratch: str
    nice: int = 0

    @property
    def instrumented(self) -> tuple[str, ...]:
        """Packages whose lines count: the readers that inputs are about, as far as Python has them.

        A scanner is compiled and has no lines: its inputs are those that lead the specification on.
        """
        if self.target == "second":
            return (registers()[self.format].module,)
        both = self.target == "differential"
        return ("reference_impl", *((registers()[self.format].module,) if both else ()))

    @property
    def left_alone(self) -> tuple[str, ...]:
        """Modules whose loops over bytes would count each turn, and take all the time."""
        own = registers()[self.format].module
        return (f"reference_impl.{own}.hashes", f"{own}.hashes")

    def to_json(self) -> str:
        """As the process reads it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The way back."""
        return cls(**json.loads(text))
