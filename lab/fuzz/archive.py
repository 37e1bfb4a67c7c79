"""The corpus as an archive: inputs that fuzzing found, each with the answers that a reader owes.

For tests of other projects: nothing of Walproof is needed to use it. The same corpus gives the same
bytes.
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
from lab.fuzz.packed import Input, NotPacked, unpack
from reference_impl.answer import Answer, collect
from reference_impl.formats import FORMATS, named
from walproof.formats import plugin_for
from walproof.sweep.readers import put

README = Path(__file__).with_name("archive-readme.md")
PROFILES = ("recover", "strict")


class NoCorpus(ValueError):
    """A folder that holds no inputs."""


def inputs_below(corpus: Path) -> Iterator[Input]:
    """The packed inputs of a corpus, whichever target led to them."""
    for path in sorted(corpus.rglob("*")):
        if path.is_file():
            try:
                one = unpack(path.read_bytes())
            except NotPacked:
                continue
            if one.format in FORMATS:
                yield one


def answers(one: Input, folder: Path) -> dict[str, Answer] | None:
    """What the executable specification says in each profile; None if the context fits no log."""
    place = folder / one.name
    put(one.contents, place)
    try:
        return {
            profile: collect(named(one.format).read(place, profile, one.context))
            for profile in PROFILES
        }
    except ValueError as error:
        if plugin_for(one.format).sweep.owes_no_answer(error):
            return None
        raise


def smallest_of_each_kind(
    inputs: Iterable[Input], folder: Path
) -> list[tuple[Input, dict[str, Answer]]]:
    """Of the inputs with answers alike, the smallest one: alike in verdict, records and ranges."""
    found: dict[tuple[Any, ...], tuple[Input, dict[str, Answer]]] = {}
    for one in sorted(inputs, key=lambda one: (one.size, one.pack())):
        said = answers(one, folder)
        if said is not None:
            found.setdefault((one.format, *_likeness(said["recover"])), (one, said))
    return list(found.values())


def _likeness(answer: Answer) -> tuple[Any, ...]:
    # Of many records and ranges, which follow from repetition, a few tell as much.
    reasons = tuple(gap.reason for gap in answer.lost[:6])
    return (answer.verdict, answer.reason, min(len(answer.records), 6), reasons,
            answer.end is None)  # fmt: skip


def archive(corpus: Path) -> bytes:
    """The .tar.gz. Raises :class:`NoCorpus`."""
    held = Held()
    try:
        chosen = smallest_of_each_kind(inputs_below(corpus), held.folder)
    finally:
        held.close()
    if not chosen:
        raise NoCorpus(f"{corpus}: expected inputs that `python -m lab fuzz` has kept, found none")
    files: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    for one, said in chosen:
        name = hashlib.sha256(one.pack()).hexdigest()[:16]
        counts[one.format] = counts.get(one.format, 0) + 1
        log = f"input{PurePath(one.name).suffix}"
        body = {
            "format": one.format,
            "input": f"{name}/{log}",
            "name": one.name,
            "sha256": digest(one.contents),
            "context": dict(one.context),
            "answers": {profile: normalise(each.to_json()) for profile, each in said.items()},
        }
        text = json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True)
        files[f"{one.format}/{name}.json"] = text.encode() + b"\n"
        for inner, data in one.files.items():
            files[f"{one.format}/{name}/{log}{f'/{inner}' if inner else ''}"] = data
    template = jinja2.Template(README.read_text("utf-8"), undefined=jinja2.StrictUndefined)
    readme = template.render(counts=dict(sorted(counts.items())), version=__version__)
    files["README.md"] = readme.encode() + b"\n"
    return tarball(files, f"walproof-corpus-{__version__}")
