"""The simplest case of a finding as a vector: description, input, and a recipe to paste."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from conformance.contents import Contents, digest, size
from conformance.recipes.generate import answer_to, dump
from conformance.vectors import Vector, expand_payload
from walproof.sweep.controls import Control
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations
from walproof.sweep.settings import READING
from walproof.sweep.store import Store
from walproof.sweep.writing import Writer, records_for


class Proposer:
    """Writes proposals. ``vectors`` are those that are there: they lend group and requirements."""

    def __init__(
        self, enumerations: Enumerations, vectors: Mapping[str, Vector], store: Store
    ) -> None:
        self.enumerations = enumerations
        self.store = store
        self.format = enumerations.plan.format
        self.vectors = [v for v in vectors.values() if v.body["format"] == self.format]
        self._taken = {v.id.partition("/")[2] for v in self.vectors}

    def propose(self, finding: Finding) -> None:
        """Write ``proposals/<format>/<slug>.json``, the input and ``<slug>.py``.

        A finding whose log is a vector already gets that vector's id instead.
        """
        best, recipe = finding.best, finding.recipe
        assert recipe is not None
        number = self.enumerations.number(best.control)
        control = self.enumerations.plan.controls[number]
        setting = control.settings[best.setting]
        control = replace(control, context=setting.context)
        made = self.enumerations[number].make(best.family, best.number)
        assert made is not None
        contents = made.contents
        if setting.writes:
            new = records_for(self.enumerations[number], setting, best.family, best.number)
            with tempfile.TemporaryDirectory() as folder:
                asked = Writer(self.format, Path(folder)).request(control, setting, contents, new)
            self._write(finding, control, asked.vector.contents, self._slug(finding), asked.vector)
            return
        same = [v for v in self.vectors if v.body["sha256"] == digest(contents)
                and v.body.get("context", {}) == control.context
                and v.operation == "read"]  # fmt: skip
        if same:
            finding.proposal = same[0].id
            return
        # A context that no reader accepts, such as a key that is none, has no answer to state.
        with contextlib.suppress(ValueError):
            self._write(finding, control, contents, self._slug(finding))

    def _write(
        self,
        finding: Finding,
        control: Control,
        contents: Contents,
        slug: str,
        asked: Vector | None = None,
    ) -> None:
        """Write the files of a proposal; ``asked`` is what was to be written or appended."""
        body = self._body(finding, control, contents, slug, asked)
        folder = f"proposals/{self.format}"
        if isinstance(contents, bytes):
            self.store.write(f"{folder}/{body['input']}", contents)
        else:
            for name, data in contents.items():
                self.store.write(f"{folder}/{body['input']}/{name}", data)
        recipe = self._recipe(finding, control, body) if asked is None else _writing(finding, body)
        self.store.write(f"{folder}/{slug}.py", recipe)
        self.store.write(f"{folder}/{slug}.json", dump(body))
        finding.proposal = f"{folder}/{slug}.json"

    def _slug(self, finding: Finding) -> str:
        signature = finding.signature
        field = signature.field.rpartition(".")[2] if "." in signature.field else signature.field
        did = "" if signature.profile in READING else signature.profile
        words = f"{did} {signature.operation} {field} {signature.reason or signature.verdict}"
        plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
        slug, number = plain, 1
        while slug in self._taken:
            number += 1
            slug = f"{plain}-{number}"
        self._taken.add(slug)
        return slug

    def _body(
        self,
        finding: Finding,
        control: Control,
        contents: Contents,
        slug: str,
        asked: Vector | None,
    ) -> dict[str, Any]:
        recipe, signature = finding.recipe, finding.signature
        assert recipe is not None
        suffix = PurePath(control.name).suffix
        if asked is None:
            answers: dict[str, Any] = {
                key: answer_to(
                    self.format, contents, control.context, profile, f"log{suffix}"
                ).to_json()
                for key, profile in (("expect", "recover"), ("expect_strict", "strict"))
            }
        else:
            answers = {key: asked.body[key] for key in _OF_WRITERS if key in asked.body}
            answers["after"] = _renamed(answers["after"], asked.input.name, f"{slug}{suffix}")
            if "accept" in answers:
                answers["accept"] = [
                    {**one, "after": _renamed(one["after"], asked.input.name, f"{slug}{suffix}")}
                    for one in answers["accept"]
                ]
        operation = "read" if asked is None else asked.operation
        expect = answers["expect"]
        kin = self._kin(control, operation, expect["verdict"], expect["reason"])
        words = list(recipe.damage)
        words += [finding.request] if finding.request else []
        words += [f"told another {key}" for key in filter(None, signature.context.split(", "))]
        if signature.operation == "none":
            kind = "valid" if answers["expect"]["verdict"] == "intact" else "eof"
        else:
            kind = "eof" if signature.operation in ("truncate", "extend") else "corrupt"
        owed = signature.reason or signature.verdict
        return {
            "id": f"{self.format}/{slug}",
            "title": f"{_sentence(words)}: {owed}.",
            "format": self.format,
            "kind": kind,
            "group": Counter(v.body["group"] for v in kin).most_common(1)[0][0],
            "requirements": _shared_requirements(kin),
            "operation": operation,
            "input": f"{slug}{suffix}",
            "sha256": digest(contents),
            "size": size(contents),
            "control": None if operation == "write" else control.id,
            "made_by": {
                "recipe": f"{self.format.replace('-', '_')}.sweep.{slug.replace('-', '_')}",
                "damage": list(recipe.damage),
            },
            "context": dict(control.context),
            **answers,
            "notes": f"Found by the sweep: {signature.implementation}: {finding.best.text}.",
        }

    def _kin(
        self, control: Control, operation: str, verdict: str, reason: str | None
    ) -> Sequence[Vector]:
        """Vectors that are about the same: they lend the group and the requirements.

        For an intact log these are its control and what was made of that; for another one those
        with the same answer in short, from the same control if there are any.
        """
        if operation != "read":
            return [v for v in self.vectors if v.operation == operation]
        read = [v for v in self.vectors if v.operation in ("read", "truncations")]
        own = [v for v in read if control.id in (v.id, v.control)]

        def answered(vectors: Sequence[Vector]) -> list[Vector]:
            owed = (verdict, reason)
            return [v for v in vectors if (e := v.body.get("expect"))
                    and (e["verdict"], e["reason"]) == owed]  # fmt: skip

        itself = [v for v in own if v.id == control.id]
        for kin in (itself if verdict == "intact" else [], answered(own), answered(read), own):
            if kin:
                return kin
        raise ValueError(f"{control.id}: expected vectors, found none")

    def _recipe(self, finding: Finding, control: Control, body: Mapping[str, Any]) -> bytes:
        """A function for ``conformance/recipes``: ten lines, to be given a better name."""
        recipe = finding.recipe
        assert recipe is not None
        payloads = [record.payload for record in control.records]
        survivors = _survivors(payloads, body["expect"]["records"])
        slug = str(body["id"]).partition("/")[2].replace("-", "_")
        source = control.id.partition("/")[2].replace("-", "_")
        needs = ", ".join(repr(text) for text in [body["group"], *body["requirements"]])
        expect = body["expect"]
        lines = [
            f"@BOOK.damaged({source}, {needs}, kind={body['kind']!r})",
            f"def {slug}(log):",
            f'    """{body["title"]}"""',
            *(f"    {call}" for call in recipe.calls),
            *(f"    {line}" for line in self._told(finding, control)),
            f"    log.expect({expect['verdict']!r}, {expect['reason']!r}, survivors={survivors})",
        ]
        return ("\n".join(lines) + "\n").encode()

    def _told(self, finding: Finding, control: Control) -> list[str]:
        """Lines of a recipe that change what a reader is told."""
        keys = filter(None, finding.signature.context.split(", "))
        return [
            f"log.context[{key!r}] = {control.context[key]!r}"
            if key in control.context
            else f"del log.context[{key!r}]"
            for key in keys
        ]


_OF_WRITERS = ("records", "expect", "after", "accept", "may_refuse", "must_refuse")
"""Parts of a vector that writes or appends."""


def _renamed(after: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """The files of a writer, for a log of another name."""
    files = [{**one, "name": new + one["name"].removeprefix(old)} for one in after["files"]]
    return {**after, "files": files}


def _writing(finding: Finding, body: Mapping[str, Any]) -> bytes:
    """What is done with a control, as lines for a recipe that writes or appends."""
    recipe = finding.recipe
    assert recipe is not None
    lines = [
        f"# {body['title']}",
        *recipe.calls,
        *(f"log.context[{key!r}] = {value!r}" for key, value in body["context"].items()),
    ]
    for record in map(expand_payload, body["records"]):
        fields = "".join(f", {key}={v!r}" for key, v in record.items() if key != "payload")
        lines.append(f"log.append(bytes.fromhex({record['payload']!r}){fields})")
    expect = body["expect"]
    said = f"{expect['verdict']!r}, {expect['reason']!r}"
    lines.append(f"log.{'expect_refusal' if body.get('must_refuse') else 'expect'}({said})")
    return ("\n".join(lines) + "\n").encode()


def _survivors(payloads: Sequence[bytes], records: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Numbers of the control's records where they are; payloads where something else came out."""
    numbers: list[Any] = []
    for record in records:
        found = [n for n, p in enumerate(payloads) if p.hex() == record.get("payload")]
        numbers.append(found[0] if found else bytes.fromhex(record.get("payload", "")))
    return numbers


def _shared_requirements(kin: Sequence[Vector]) -> list[str]:
    """The requirements that most vectors of a kind exercise, one at least."""
    counts = Counter(id for vector in kin for id in vector.body["requirements"])
    most = counts.most_common(1)[0][1]
    return sorted(id for id, count in counts.items() if 2 * count > most)[:3]


def _sentence(damage: Sequence[str]) -> str:
    text = ", then ".join(damage) or "undamaged"
    return text[:1].upper() + (text[1:] if len(text) < 160 else text[1:157] + "…")
