"""One pass over an image: what every carver finds in it, in the order in which it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from walproof.carve.base import Carver
from walproof.carve.image import STRIDE, Image
from walproof.carve.model import Find
from walproof.carve.search import Search
from walproof.formats import plugin_for

NEAR, NEAR_IN_A_CROWD = 512, 1 << 20
"""What is loose and no further apart than this, in bytes, is one find."""
CROWD = 50_000
"""After so many loose finds the second distance counts: so a hostile image cannot fill memory."""
Progress = Callable[[int], None]


class Carving:
    """A pass over ``[start, stop)`` of an image for some formats.

    After each step ``position`` is where another pass may begin that finds the rest; ``before`` is
    how many loose finds the passes before this one gave.
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
        self._search = Search([p for one in self.carvers.values() for p in one.patterns])
        self._owner = [
            (name, number)
            for name, one in self.carvers.items()
            for number in range(len(one.patterns))
        ]

    def steps(self, progress: Progress = lambda _: None) -> Iterator[list[tuple[str, Find]]]:
        """What each window completes: format and find. ``OSError``."""
        for begin, end in self.image.stretches(self.start, self.stop):
            base = begin - begin % STRIDE
            base = max(base, self.start)
            while base < end:
                window = self.image.window(base, self._after(base, end))
                if window.stop <= base:
                    break  # the image has become shorter
                hits: dict[str, list[tuple[int, int]]] = {name: [] for name in self.carvers}
                for at, which in self._search.hits(window):
                    name, number = self._owner[which]
                    hits[name].append((at, number))
                found = [
                    (name, one)
                    for name, each in self.carvers.items()
                    for one in self._joined(name, each.window(window, hits[name]))
                ]
                self.image.work.passed += window.stop - base
                base = window.stop
                settled = self._settled(base)
                progress(base)
                yield sorted(found, key=lambda one: one[1].at)
                self.position = settled  # not before all of them were taken
        found = [
            (name, one)
            for name, each in self.carvers.items()
            for one in [*self._joined(name, each.finish()), *self._last(name)]
        ]
        progress(self.stop)
        yield sorted(found, key=lambda one: one[1].at)
        self.position = self.stop

    def _after(self, base: int, end: int) -> int:
        """Where a window ends: so that windows of any run begin at the same places."""
        return min(end, base - base % STRIDE + STRIDE)

    def _settled(self, base: int) -> int:
        """What begins before this place was given out."""
        open_ones = [place for one in self.carvers.values() if (place := one.pending()) is not None]
        return min([base, *open_ones, *(one.at for one in self._gathered.values())])

    def _joined(self, name: str, finds: Iterator[Find]) -> Iterator[Find]:
        """Neighbours that are loose become one find."""
        for find in finds:
            gathered = self._gathered.get(name)
            if gathered is not None:
                near = NEAR if self._loose < CROWD else NEAR_IN_A_CROWD
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

    def _last(self, name: str) -> Iterator[Find]:
        if name in self._gathered:
            yield self._gathered.pop(name)
