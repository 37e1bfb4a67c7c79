"""Recipes, and the two groups of verbs they use: build and expect.

A recipe is a function of about ten lines that is named after its fault. Its docstring is the title
of the vector. The recipe builds a log with ``write``, or damages a control with the operations of
the damage algebra. With ``expect``, it states which records must survive. The executable
specification computes the complete answer. If the two disagree, the vectors cannot be made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from conformance.contents import Contents
from conformance.recipes.algebra import Damage
from conformance.recipes.variation import vary
from reference_impl.answer import NewRecord

LogT = TypeVar("LogT", bound="Log")


class RecipeError(Exception):
    """An inconsistent recipe, or one that the executable specification contradicts."""


@dataclass(frozen=True)
class Statement:
    """The statement of a recipe: verdict, reason, and the surviving payloads."""

    verdict: str
    reason: str | None
    survivors: tuple[bytes, ...]
    end: int | str | None = "any"


class Log(Damage):
    """The log that a recipe builds, with the verbs that every format shares."""

    def __init__(self, control: Contents, payloads: Sequence[bytes], format: str) -> None:
        super().__init__(control, format)
        self.payloads = list(payloads)
        self.to_append: list[NewRecord] = []
        self.is_rewritten = False
        self.context: dict[str, Any] = {}
        self.golden: Contents | None = None
        self.statement: Statement | None = None
        self.accept: list[dict[str, Any]] = []
        self.must_refuse = False
        self.files_after: dict[str, int] | None = None
        self.bytes_after: dict[tuple[str, int], bytes] = {}
        self.free: list[tuple[str, str]] = []
        self.other_appends: list[tuple[list[NewRecord], str, dict[str, int]]] = []
        self.notes: list[str] = []
        self.bugs: list[str] = []
        self.wall_ms: int | None = None
        # The extension of the input's name, for a format with several file types.
        self.suffix: str | None = None
        self.scenario: str | None = None
        # The whole name of the input, if it has a meaning. No other vector may have it.
        self.name: str | None = None

    def shows(self, scenario: str) -> None:
        """Describe the cause without terms of a format: an id of ``conformance/scenarios``."""
        self.scenario = scenario

    def append(self, *payloads: bytes, **fields: Any) -> None:
        """Add records that the implementation must append, with these fields of the format."""
        self.to_append += [NewRecord(self.varied(payload), fields) for payload in payloads]

    def varied(self, payload: bytes) -> bytes:
        """Return a payload as the log has it: a different one for fresh variants."""
        return vary(payload)

    def rewrites(self) -> None:
        """State that the append replaces records: only ``expect`` lists the resulting records."""
        self.is_rewritten = True

    def to_write(self) -> list[NewRecord]:
        """Return the records of the log for a writer; formats with record fields override it."""
        return [NewRecord(payload) for payload in self.payloads]

    def expect(
        self,
        verdict: str,
        reason: str | None = None,
        survivors: Sequence[int | bytes] = (),
        end: int | str | None = "any",
    ) -> None:
        """State the expected answer.

        Survivors are numbers of the control's records, or payloads.
        """
        chosen = tuple(
            self.payloads[s] if isinstance(s, int) else s if s in self.payloads else self.varied(s)
            for s in survivors
        )
        self.statement = Statement(verdict, reason, chosen, end)

    def expect_refusal(
        self,
        verdict: str = "intact",
        reason: str | None = None,
        survivors: Sequence[int | bytes] = (),
    ) -> None:
        """State that a writer must refuse and leave every byte unchanged.

        For ``append``, the verdict, the reason and the survivors are those of the unchanged log.
        """
        self.must_refuse = True
        self.expect(verdict, reason, survivors)

    def leaves(self, files: Mapping[str, int]) -> None:
        """State the files after a write or append, with their sizes in bytes.

        Names are relative to the log. If the log is one file, its name is ``""``. ``journal-1.log``
        is a file in the directory of the log, and ``../name`` is a file next to the log. ``*`` and
        ``?`` stand for a time or a process number in a name. Without this statement, only the
        executable specification determines the files.
        """
        self.files_after = dict(files)

    def leaves_bytes(self, file: str, at: int, data: bytes) -> None:
        """State bytes that a file has at an offset after an append, but that no answer contains.

        ``file`` is a name as in :meth:`leaves`, without ``*`` and ``?``.
        """
        self.bytes_after[file, at] = data

    def may_append_as(
        self, records: Sequence[NewRecord], because: str, files: Mapping[str, int]
    ) -> None:
        """Allow a second result of an append: the result with other records.

        ``records`` differ from ``to_append`` in their fields, such as ``rotate``. The executable
        specification computes the result. ``files`` are its files, as in :meth:`leaves`.
        """
        new = [NewRecord(self.varied(record.payload), record.fields) for record in records]
        self.other_appends.append((new, because, dict(files)))

    def also_accept(
        self, answer: Mapping[str, Any], because: str, strict: Mapping[str, Any] | None = None
    ) -> None:
        """Allow a second answer for a log that is read, because real systems disagree.

        ``strict`` is the second answer in the profile ``strict``. It differs from ``answer`` only
        for a damaged log.
        """
        if strict is None and answer["verdict"] == "damaged":
            raise RecipeError("an accepted damaged answer also needs one for strict readers")
        both = {"answer": dict(answer), "answer_strict": dict(strict or answer)}
        self.accept.append({**both, "because": because})

    def free_to(self, freedom: str, because: str) -> None:
        """Allow a writer one of ``postconditions.FREEDOMS``, with the reason.

        Without a freedom, every byte of every file is determined. This includes bytes that no
        reader uses, such as padding, seals and unused space.
        """
        self.free.append((freedom, because))

    def expect_bytes(self, golden: Contents) -> None:
        """State the exact log, known from elsewhere (``facts``, upstream tests)."""
        self.golden = golden

    def hangs_upstream(self) -> None:
        """State that a real system hangs on this log, so that runs use a short timeout."""
        self.wall_ms = 700

    def note(self, text: str) -> None:
        """Add a note for readers of the vector."""
        self.notes.append(text)

    def bug(self, link: str) -> None:
        """Link a known defect of a real system that this vector shows."""
        self.bugs.append(link)


@dataclass(frozen=True)
class Recipe(Generic[LogT]):
    """One recipe: the function and the arguments of its decorator."""

    function: Callable[[LogT], None]
    format: str
    operation: str
    kind: str
    group: str
    requirements: tuple[str, ...]
    # The recipe of the undamaged log that this recipe starts from.
    source: Recipe[LogT] | None = None
    # The recipe of the vector without the fault, for scoring in pairs.
    control: Recipe[LogT] | None = None
    may_refuse: bool = False

    @property
    def slug(self) -> str:
        """Return the file name of the vector, without its extension."""
        return self.function.__name__.strip("_").replace("_", "-")

    @property
    def id(self) -> str:
        """Return the id of the vector."""
        return f"{self.format}/{self.slug}"

    @property
    def title(self) -> str:
        """Return the first paragraph of the docstring as one line."""
        text = (self.function.__doc__ or "").strip().split("\n\n")[0]
        if not text:
            raise RecipeError(f"{self.slug}: expected a docstring with the vector's title")
        return " ".join(text.split())

    @property
    def made_by(self) -> str:
        """Return the function's name below ``conformance/recipes``, without wrappers."""
        written = inspect.unwrap(self.function)
        module = written.__module__.removeprefix("conformance.recipes.")
        return f"{module}.{written.__name__}"


Entering = Callable[[Callable[[LogT], None]], Recipe[LogT]]


@dataclass
class Book(Generic[LogT]):
    """The recipes of one format, in order, and the decorators that add them.

    Every decorator takes the matrix column (``group``) and the requirement ids.
    """

    format: str
    recipes: dict[str, Recipe[LogT]] = field(default_factory=dict)

    def valid(self, group: str, *requirements: str, kind: str = "valid") -> Entering[LogT]:
        """Add an undamaged log, which may serve as a control."""
        return self._enter("read", kind, group, requirements)

    def damaged(
        self,
        control: Recipe[LogT],
        group: str,
        *requirements: str,
        kind: str = "corrupt",
    ) -> Entering[LogT]:
        """Add a control with one fault."""
        return self._enter("read", kind, group, requirements, source=control, control=control)

    def truncations(self, control: Recipe[LogT], group: str, *requirements: str) -> Entering[LogT]:
        """Add every prefix of a control, as one vector."""
        return self._enter(
            "truncations", "eof", group, requirements, source=control, control=control
        )

    def writing(
        self,
        group: str,
        *requirements: str,
        kind: str = "valid",
        control: Recipe[LogT] | None = None,
    ) -> Entering[LogT]:
        """Add records that a writer must store as exactly these bytes, or must refuse.

        ``control`` writes the records without those that must be refused.
        """
        return self._enter("write", kind, group, requirements, control=control)

    def appending(
        self,
        to: Recipe[LogT],
        group: str,
        *requirements: str,
        kind: str = "valid",
        control: Recipe[LogT] | None = None,
        may_refuse: bool = False,
    ) -> Entering[LogT]:
        """Add a log to recover, append to and read again.

        ``control`` appends to the undamaged log ``to``.
        """
        return self._enter(
            "append", kind, group, requirements, source=to, control=control, may_refuse=may_refuse
        )

    def _enter(
        self, operation: str, kind: str, group: str, requirements: tuple[str, ...], **more: Any
    ) -> Entering[LogT]:
        def enter(function: Callable[[LogT], None]) -> Recipe[LogT]:
            recipe = Recipe(function, self.format, operation, kind, group, requirements, **more)
            if recipe.slug in self.recipes:
                raise RecipeError(f"{recipe.id}: two recipes have this name")
            self.recipes[recipe.slug] = recipe
            return recipe

        return enter
