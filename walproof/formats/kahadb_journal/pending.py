"""Find the pending messages of a message store and the pending jobs of a scheduler store.

Upstream authority: apache/activemq c3580e7 (6.x) ``kahadb/MessageDatabase.java`` (``process``,
``updateIndex``), ``kahadb/scheduler/JobSchedulerStoreImpl.java``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reference_impl.answer import Record
from walproof.decode.pending import Waiting
from walproof.formats.kahadb_journal.operations import destination_of, operation_name

Value = Mapping[str, Any]
_TOPICS = ("topic://", "temp-topic://")
_ONE_FILE = "the journal"


@dataclass
class _Message:
    """The file and time of a message, and the subscriptions that have not acknowledged it."""

    file: str
    time: int | None
    subscriptions: set[str] = field(default_factory=set)


@dataclass
class _Destination:
    """A queue, or a topic with its durable subscriptions."""

    messages: dict[str, _Message] = field(default_factory=dict)
    subscriptions: set[str] = field(default_factory=set)


@dataclass
class _Transaction:
    """The commands of an open transaction, each with the name of its file."""

    is_prepared: bool = False
    commands: list[tuple[str, Value]] = field(default_factory=list)


class Pending:
    """See :class:`walproof.decode.pending.Pending`."""

    def __init__(self) -> None:
        self._destinations: dict[str, _Destination] = {}
        self._transactions: dict[tuple[Any, ...], _Transaction] = {}
        self._jobs: dict[str, dict[str, _Message]] = {}

    def take(self, record: Record, value: Value) -> None:
        """See :class:`walproof.decode.pending.Pending`."""
        name = operation_name(value["name"])
        file = record.file or _ONE_FILE
        if value.get("transaction") is None:
            self._apply(name, file, value)
            return
        key = _key(value["transaction"])
        if name == "commit":
            for place, command in self._transactions.pop(key, _Transaction()).commands:
                self._apply(operation_name(command["name"]), place, command)
        elif name == "rollback":
            self._transactions.pop(key, None)
        else:
            transaction = self._transactions.setdefault(key, _Transaction())
            if name == "prepare":
                transaction.is_prepared = True
            else:
                transaction.commands.append((file, _without_message(value)))

    def waiting(self) -> Iterator[Waiting]:
        """See :class:`walproof.decode.pending.Pending`.

        A message of a topic counts once for each subscription that has not acknowledged it.
        """
        for place, destination in sorted(self._destinations.items()):
            is_topic = place.startswith(_TOPICS)
            names = sorted(destination.subscriptions) if is_topic else [None]
            for subscription in names:
                waiting = Waiting(place, subscription)
                for message in destination.messages.values():
                    if subscription is None or subscription in message.subscriptions:
                        waiting.add(message.file, message.time)
                if waiting.count:
                    yield waiting
        for scheduler, jobs in sorted(self._jobs.items()):
            waiting = Waiting(f"scheduler {scheduler}")
            for job in jobs.values():
                waiting.add(job.file, job.time)
            if waiting.count:
                yield waiting
        for key, transaction in sorted(self._transactions.items(), key=str):
            state = "prepared transaction" if transaction.is_prepared else "unfinished transaction"
            waiting = Waiting(f"{state} {_shown(key)}")
            for file, value in transaction.commands:
                waiting.add(file, _time(value))
            if waiting.count:
                yield waiting

    def _apply(self, name: str, file: str, value: Value) -> None:
        if name in _OF_JOBS:
            self._apply_to_jobs(name, file, value)
            return
        place = destination_of(value)
        if place is None:
            return
        if name == "remove_destination":
            self._destinations.pop(place, None)
            return
        destination = self._destinations.setdefault(place, _Destination())
        if name in ("add_message", "update_message"):
            self._add(destination, place, name, file, value)
        elif name == "remove_message":
            _remove(destination, value)
        elif name == "subscription":
            self._subscribe(destination, place, value)

    def _add(
        self, destination: _Destination, place: str, name: str, file: str, value: Value
    ) -> None:
        message_id = value.get("message_id")
        if message_id is None:
            return
        known = destination.messages.get(message_id)
        if known is not None:
            if name == "update_message":
                known.file = file
            return  # a broker ignores duplicate messages
        if place.startswith(_TOPICS) and not destination.subscriptions:
            return  # no subscription needs the message
        waits = set(destination.subscriptions)
        destination.messages[message_id] = _Message(file, _time(value), waits)

    def _subscribe(self, destination: _Destination, place: str, value: Value) -> None:
        name = value.get("subscription") or ""
        if value.get("data") is not None:
            destination.subscriptions.add(name)
            if dict(value.get("fields") or ()).get("retroactive") == "true":
                for message in destination.messages.values():
                    message.subscriptions.add(name)
            return
        destination.subscriptions.discard(name)
        for message_id in [*destination.messages]:
            _acknowledge(destination, message_id, name)
        if not destination.subscriptions:
            self._destinations.pop(place, None)

    def _apply_to_jobs(self, name: str, file: str, value: Value) -> None:
        fields = dict(value.get("fields") or ())
        scheduler, job_id = fields.get("scheduler", ""), fields.get("job_id", "")
        jobs = self._jobs.setdefault(scheduler, {})
        if name == "add_scheduled_job":
            time = fields.get("next_execution_time", fields.get("start_time"))
            jobs[job_id] = _Message(file, None if time is None else int(time))
        elif name == "reschedule_job" and job_id in jobs:
            jobs[job_id].time = int(fields.get("next_execution_time", 0))
        elif name == "remove_scheduled_job":
            jobs.pop(job_id, None)
        elif name == "remove_scheduled_jobs":
            first, last = int(fields.get("start_time", 0)), int(fields.get("end_time", 0))
            for removed in [key for key, job in jobs.items() if first <= (job.time or 0) <= last]:
                del jobs[removed]
        elif name == "destroy_scheduler":
            self._jobs.pop(scheduler, None)


_OF_JOBS = frozenset(
    ("add_scheduled_job", "reschedule_job", "remove_scheduled_job", "remove_scheduled_jobs",
     "destroy_scheduler")
)  # fmt: skip


def _remove(destination: _Destination, value: Value) -> None:
    """Apply an acknowledgement by a subscription or, for a queue, by its only consumer."""
    if value.get("subscription"):
        _acknowledge(destination, value.get("message_id") or "", value["subscription"])
    else:
        destination.messages.pop(value.get("message_id") or "", None)


def _acknowledge(destination: _Destination, message_id: str, subscription: str) -> None:
    message = destination.messages.get(message_id)
    if message is not None:
        message.subscriptions.discard(subscription)
        if not message.subscriptions:
            del destination.messages[message_id]


def _without_message(value: Value) -> dict[str, Any]:
    """Return the members of a command that are needed until its transaction ends."""
    names = ("name", "destination", "destination_type", "message_id", "subscription", "fields")
    members = {name: value.get(name) for name in names}
    data = None if value.get("data") is None else b""
    return {**members, "data": data, "message": {"timestamp": _time(value)}}


def _time(value: Value) -> int | None:
    time: int | None = (value.get("message") or {}).get("timestamp")
    return time or None


def _key(transaction: Value) -> tuple[Any, ...]:
    names = ("connection_id", "transaction_id", "format_id", "global_transaction_id",
             "branch_qualifier")  # fmt: skip
    return tuple(transaction.get(name) for name in names)


def _shown(key: tuple[Any, ...]) -> str:
    connection, number, _, global_id, _ = key
    return f"{connection}:{number}" if global_id is None else f"XA 0x{global_id.hex()}"
