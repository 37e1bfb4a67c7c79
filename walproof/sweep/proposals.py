"""The simplest case of a finding as a vector: description, input, and a recipe to paste."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from conformance.contents import Contents, digest, size
from conformance.recipes.generate import answer_to, dump
from conformance.vectors import Vector
from walproof.sweep.controls import Control
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Enumerations
from walproof.sweep.store import Store


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
        control = replace(control, context=control.settings[best.setting].context)
        made = self.enumerations[number].make(best.family, best.number)
        assert made is not None
        contents = made.contents
        same = [v for v in self.vectors if v.body["sha256"] == digest(contents)
                and v.body.get("context", {}) == control.context
                and v.operation == "read"]  # fmt: skip
        if same:
            finding.proposal = same[0].id
            return
        slug = self._slug(finding)
        body = self._body(finding, control, contents, slug)
        folder = f"proposals/{self.format}"
        if isinstance(contents, bytes):
            self.store.write_bytes(f"{folder}/{body['input']}", contents)
        else:
            for name, data in contents.items():
                self.store.write_bytes(f"{folder}/{body['input']}/{name}", data)
        self.store.write_bytes(f"{folder}/{slug}.py", self._recipe(finding, control, body))
        self.store.write_bytes(f"{folder}/{slug}.json", dump(body))
        finding.proposal = f"{folder}/{slug}.json"

    def _slug(self, finding: Finding) -> str:
        signature = finding.signature
        field = signature.field.rpartition(".")[2] if "." in signature.field else signature.field
        words = f"{signature.operation} {field} {signature.reason or signature.verdict}"
        plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
        slug, number = plain, 1
        while slug in self._taken:
            number += 1
            slug = f"{plain}-{number}"
        self._taken.add(slug)
        return slug

    def _body(
        self, finding: Finding, control: Control, contents: Contents, slug: str
    ) -> dict[str, Any]:
        recipe, signature = finding.recipe, finding.signature
        assert recipe is not None
        suffix = PurePath(control.name).suffix if isinstance(contents, bytes) else ""
        answers = {
            key: answer_to(
                self.format, contents, control.context, profile, f"log{suffix}"
            ).to_json()
            for key, profile in (("expect", "recover"), ("expect_strict", "strict"))
        }
        kin = self._kin(control, answers["expect"]["verdict"], answers["expect"]["reason"])
        words = list(recipe.damage)
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
            "operation": "read",
            "input": f"{slug}{suffix}",
            "sha256": digest(contents),
            "size": size(contents),
            "control": control.id,
            "made_by": {
                "recipe": f"{self.format.replace('-', '_')}.sweep.{slug.replace('-', '_')}",
                "damage": list(recipe.damage),
            },
            "context": dict(control.context),
            **answers,
            "notes": f"Found by the sweep: {signature.implementation}: {finding.best.text}.",
        }

    def _kin(self, control: Control, verdict: str, reason: str | None) -> Sequence[Vector]:
        """Vectors that are about the same: they lend the group and the requirements.

        For an intact log these are its control and what was made of that; for another one those
        with the same answer in short, from the same control if there are any.
        """
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
