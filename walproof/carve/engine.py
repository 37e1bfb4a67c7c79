"""Run all carvers in one pass over an image, and return each find when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from walproof.carve.base import Carver
from walproof.carve.image import STRIDE, Image
from walproof.carve.model import Find, Pattern, Window
from walproof.formats import plugin_for

#: Loose records less than this many bytes apart form one find.
MAX_GAP_BYTES, MAX_GAP_BYTES_OF_MANY = 512, 1 << 20
#: Number of loose finds after which the larger distance applies, to limit memory.
MANY_LOOSE_FINDS = 50_000
Progress = Callable[[int], None]


class Carving:
    """A pass over ``[start, stop)`` of an image for some formats.

    ``before`` is the number of loose finds in earlier passes.
    """

    def __init__(
        self,
        image: Image,
        formats: Sequence[str],
        align: int,
        start: int,
        stop: int,
        before: int = 0,
    ) -> None:
        self.image = image
        self.start, self.stop = start, min(stop, image.size)
        self.position = start
        self.carvers: Mapping[str, Carver] = {
            format_id: carver(image, align)
            for format_id in formats
            if (carver := plugin_for(format_id).carver) is not None
        }
        self._loose = before
        self._gathered: dict[str, Find] = {}

    def steps(self, progress: Progress = lambda _: None) -> Iterator[list[tuple[str, Find]]]:
        """Yield the finds that each window completes, with their formats. Raises ``OSError``."""
        for begin, end in self.image.stretches(self.start, self.stop):
            base = max(begin - begin % STRIDE, self.start)
            while base < end:
                # Windows are aligned, so that a resumed run has the same windows.
                window = self.image.window(base, min(end, base - base % STRIDE + STRIDE))
                if window.stop <= base:
                    break  # the image was truncated
                finds = [
                    (name, find)
                    for name, carver in self.carvers.items()
                    for find in self._joined(name, carver.window(window, _hits(carver, window)))
                ]
                self.image.work.passed += window.stop - base
                base = window.stop
                settled = self._settled(base)
                progress(base)
                yield sorted(finds, key=lambda find: find[1].at)
                self.position = settled  # only after the caller has processed all finds
        finds = [
            (name, find)
            for name, carver in self.carvers.items()
            for find in [*self._joined(name, carver.finish()), self._gathered.pop(name, None)]
            if find is not None
        ]
        progress(self.stop)
        yield sorted(finds, key=lambda find: find[1].at)
        self.position = self.stop

    def _settled(self, base: int) -> int:
        """Return the offset before which every find has been returned."""
        pending = [
            start for carver in self.carvers.values() if (start := carver.pending()) is not None
        ]
        return min([base, *pending, *(carver.at for carver in self._gathered.values())])

    def _joined(self, name: str, finds: Iterator[Find]) -> Iterator[Find]:
        for find in finds:
            gathered = self._gathered.get(name)
            if gathered is not None:
                near = MAX_GAP_BYTES if self._loose < MANY_LOOSE_FINDS else MAX_GAP_BYTES_OF_MANY
                is_near = find.at - gathered.end < near
                if find.kind == "loose" and is_near and find.certainty == gathered.certainty:
                    self._gathered[name] = replace(gathered, end=max(find.end, gathered.end))
                    continue
                yield self._gathered.pop(name)
            if find.kind == "loose":
                self._loose += 1
                self._gathered[name] = find
            else:
                yield find


def _hits(carver: Carver, window: Window) -> Sequence[tuple[int, int]]:
    """Return the offsets and numbers of the patterns of a carver in a window, in order."""
    return sorted(
        (at, number)
        for number, pattern in enumerate(carver.patterns)
        for at in offsets(pattern, window)
    )


def offsets(pattern: Pattern, window: Window) -> Sequence[int]:
    """Return the image offsets of the hits in a window, in order.

    A pattern that begins in the lookahead belongs to the next window.
    """
    data, length = window.data, window.stop - window.base
    mask = pattern.mask or b"\xff" * len(pattern.value)
    # The two largest fixed bytes leave few candidates, because most bytes of an image are small.
    fixed = sorted((pattern.value[at], at) for at, bits in enumerate(mask) if bits == 0xFF)
    (byte, at), (other_byte, other_at) = fixed[-1], fixed[-2 if len(fixed) > 1 else -1]
    is_near = data[at : at + length] == byte
    is_near &= data[other_at : other_at + length] == other_byte
    starts = np.flatnonzero(is_near)
    for offset, (byte, bits) in enumerate(zip(pattern.value, mask, strict=True)):
        # At least 80 zeros follow the filled bytes.
        starts = starts[data[starts + offset] & bits == byte & bits]
    if pattern.peeks:
        places = starts[:, None] + np.array(pattern.peeks)
        is_letter = np.isin(data[np.minimum(places, window.size)], list(pattern.among))
        starts = starts[(is_letter & (places < window.size)).any(axis=1)]
    starts += window.base - pattern.back
    hits: list[int] = starts[starts >= 0].tolist()
    return hits
