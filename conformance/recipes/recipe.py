"""Recipes, and the verbs that build their logs and state the expected results.

A recipe is a row of a table (:mod:`conformance.recipes.rows`), or a function of about ten lines
that is named after its fault. The docstring of a function is the title of the vector. The recipe
builds a log with ``write``, or damages a control with the operations of the damage algebra. With
``expect``, it states which records must survive. The executable specification computes the complete
answer. If the two disagree, the vectors cannot be made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from conformance.contents import Contents
from conformance.recipes.algebra import Damage, RecipeError
from conformance.recipes.rows import Row, rows_of
from reference_impl.answer import NewRecord

LogT = TypeVar("LogT", bound="Log")


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
        # The file extension of the input, if the format has several file types.
        self.suffix: str | None = None
        self.scenario: str | None = None
        # The whole file name of the input, if the format gives the name a meaning. No other vector
        # may have this name.
        self.name: str | None = None

    def shows(self, scenario: str) -> None:
        """Name the scenario in ``conformance/scenarios`` that describes the cause in general."""
        self.scenario = scenario

    def append(self, *payloads: bytes, **fields: Any) -> None:
        """Add records that the implementation must append, with these fields of the format."""
        self.to_append += [NewRecord(payload, fields) for payload in payloads]

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
        chosen = tuple(self.payloads[s] if isinstance(s, int) else s for s in survivors)
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
        self.other_appends.append((list(records), because, dict(files)))

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
    kind: str | None
    group: str
    requirements: tuple[str, ...]
    # The recipe of the undamaged log that this recipe starts from.
    source: Recipe[LogT] | None = None
    # The recipe of the vector without the fault. A score counts both as a pair.
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
        """Return the outermost function, or the row, as a name below ``conformance/recipes``."""
        module = self.function.__module__.removeprefix("conformance.recipes.")
        return f"{module}.{self.function.__qualname__.partition('.')[0]}"


Entering = Callable[[Callable[[LogT], None]], Recipe[LogT]]


@dataclass
class Book(Generic[LogT]):
    """The recipes of one format, in order.

    ``new_log`` begins a log from a control and its payloads. ``suffix`` is the extension of a log's
    name.
    """

    format: str
    new_log: Callable[[Contents, Sequence[bytes]], LogT]
    suffix: str
    entered: dict[str, Recipe[LogT]] = field(default_factory=dict)
    tables: list[Callable[[], None]] = field(default_factory=list)

    def group(self, name: str) -> Group[LogT]:
        """Return the decorators of one column of the matrix."""
        return Group(self, name)

    @property
    def recipes(self) -> Mapping[str, Recipe[LogT]]:
        """Return the recipes by slug. Rows follow the functions, which may be their controls."""
        while self.tables:
            self.tables.pop(0)()
        return self.entered

    def enter(self, recipe: Recipe[LogT]) -> Recipe[LogT]:
        """Add a recipe."""
        if recipe.slug in self.entered:
            raise RecipeError(f"{recipe.id}: two recipes have this name")
        self.entered[recipe.slug] = recipe
        return recipe


@dataclass(frozen=True)
class Group(Generic[LogT]):
    """A column of the matrix: decorators that add recipes with their requirement ids."""

    book: Book[LogT]
    name: str

    def valid(self, *requirements: str, kind: str = "valid") -> Entering[LogT]:
        """Add an undamaged log, which may serve as a control."""
        return self._enter("read", kind, requirements)

    def damaged(
        self, control: Recipe[LogT], *requirements: str, kind: str | None = None
    ) -> Entering[LogT]:
        """Add a control with one fault. The kind is ``eof`` for a torn log, else ``corrupt``."""
        return self._enter("read", kind, requirements, source=control, control=control)

    def table(self, text: str) -> None:
        """Add the rows of a table (:mod:`conformance.recipes.rows`)."""
        # Frame 1 belongs to the caller of this method. collections.namedtuple finds its caller in
        # the same way.
        module = sys._getframe(1).f_globals
        self.book.tables.append(lambda: self._enter_rows(text, module))

    def _enter_rows(self, text: str, module: Mapping[str, Any]) -> None:
        for row in rows_of(text):
            control = self.book.entered.get(row.control.replace("_", "-"))
            if control is None:
                raise RecipeError(f"{row.name}: no recipe {row.control}")

            def function(log: LogT, row: Row = row) -> None:
                row.build(log, module)

            function.__name__ = function.__qualname__ = row.name
            function.__doc__, function.__module__ = row.title, module["__name__"]
            self.damaged(control, *row.requirements, kind=row.kind)(function)

    def combination(
        self,
        name: str,
        title: str,
        control: Recipe[LogT],
        *requirements: str,
        kind: str | None = "limit",
    ) -> Entering[LogT]:
        """Add a control with one fault, in a function that adds one vector for each combination."""
        enter = self.damaged(control, *requirements, kind=kind)

        def enter_combination(function: Callable[[LogT], None]) -> Recipe[LogT]:
            function.__name__, function.__doc__ = name, title
            return enter(function)

        return enter_combination

    def truncations(self, control: Recipe[LogT], *requirements: str) -> Entering[LogT]:
        """Add every prefix of a control, as one vector."""
        return self._enter("truncations", "eof", requirements, source=control, control=control)

    def writing(
        self,
        *requirements: str,
        kind: str = "valid",
        control: Recipe[LogT] | None = None,
    ) -> Entering[LogT]:
        """Add records that a writer must store as exactly these bytes, or must refuse.

        ``control`` writes the records without those that must be refused.
        """
        return self._enter("write", kind, requirements, control=control)

    def appending(
        self,
        to: Recipe[LogT],
        *requirements: str,
        kind: str = "valid",
        control: Recipe[LogT] | None = None,
        may_refuse: bool = False,
    ) -> Entering[LogT]:
        """Add a log to recover, append to and read again.

        ``control`` appends to the undamaged log ``to``.
        """
        return self._enter(
            "append", kind, requirements, source=to, control=control, may_refuse=may_refuse
        )

    def _enter(
        self, operation: str, kind: str | None, requirements: tuple[str, ...], **more: Any
    ) -> Entering[LogT]:
        def enter(function: Callable[[LogT], None]) -> Recipe[LogT]:
            format = self.book.format
            return self.book.enter(
                Recipe(function, format, operation, kind, self.name, requirements, **more)
            )

        return enter
