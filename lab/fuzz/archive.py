"""Export the corpus as an archive: inputs that fuzzing found, with the expected answers.

Other projects can use the archive in their tests without Walproof. Equal corpora give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

import jinja2

from conformance import __version__
from conformance.compare import normalise
from conformance.contents import digest
from conformance.packages.build import tarball
from conformance.scratch import Held
from lab.fuzz.inputs import Input, NotPacked, unpack
from reference_impl.answer import Answer, collect
from reference_impl.formats import FORMATS, named
from walproof.formats import plugin_for
from walproof.sweep.specification import put

README = Path(__file__).with_name("archive-readme.md")
PROFILES = ("recover", "strict")


class NoCorpus(ValueError):
    """A folder that holds no inputs."""


def inputs_below(corpus: Path) -> Iterator[Input]:
    """Yield the packed inputs of a corpus, whichever target led to them."""
    for path in sorted(corpus.rglob("*")):
        if path.is_file():
            try:
                log = unpack(path.read_bytes())
            except NotPacked:
                continue
            if log.format in FORMATS:
                yield log


def answers(log: Input, folder: Path) -> dict[str, Answer] | None:
    """Return the right answer in each profile; None if no reader takes the context."""
    place = folder / log.name
    put(log.contents, place)
    try:
        return {
            profile: collect(named(log.format).read(place, profile, log.context))
            for profile in PROFILES
        }
    except ValueError as error:
        if plugin_for(log.format).sweep.owes_no_answer(error):
            return None
        raise


def smallest_inputs(inputs: Iterable[Input], folder: Path) -> list[tuple[Input, dict[str, Answer]]]:
    """Return the smallest of the inputs with answers alike in verdict, records and ranges."""
    smallest: dict[tuple[Any, ...], tuple[Input, dict[str, Answer]]] = {}
    for log in sorted(inputs, key=lambda log: (log.size, log.pack())):
        right = answers(log, folder)
        if right is not None:
            smallest.setdefault((log.format, *_likeness(right["recover"])), (log, right))
    return list(smallest.values())


def _likeness(answer: Answer) -> tuple[Any, ...]:
    # Of many records and ranges, which follow from repetition, a few tell as much.
    reasons = tuple(gap.reason for gap in answer.lost[:6])
    return (answer.verdict, answer.reason, min(len(answer.records), 6), reasons,
            answer.end is None)  # fmt: skip


def archive(corpus: Path) -> bytes:
    """Return the .tar.gz. Raises :class:`NoCorpus`."""
    held = Held()
    try:
        chosen = smallest_inputs(inputs_below(corpus), held.folder)
    finally:
        held.close()
    if not chosen:
        raise NoCorpus(f"{corpus}: expected inputs of `python -m lab fuzz`, found none")
    files: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    for log, right in chosen:
        name = hashlib.sha256(log.pack()).hexdigest()[:16]
        counts[log.format] = counts.get(log.format, 0) + 1
        file_name = f"input{PurePath(log.name).suffix}"
        body = {
            "format": log.format,
            "input": f"{name}/{file_name}",
            "name": log.name,
            "sha256": digest(log.contents),
            "context": dict(log.context),
            "answers": {profile: normalise(each.to_json()) for profile, each in right.items()},
        }
        text = json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True)
        files[f"{log.format}/{name}.json"] = text.encode() + b"\n"
        for inner, data in log.files.items():
            files[f"{log.format}/{name}/{file_name}{f'/{inner}' if inner else ''}"] = data
    template = jinja2.Template(README.read_text("utf-8"), undefined=jinja2.StrictUndefined)
    readme = template.render(counts=dict(sorted(counts.items())), version=__version__)
    files["README.md"] = readme.encode() + b"\n"
    return tarball(files, f"walproof-corpus-{__version__}")
