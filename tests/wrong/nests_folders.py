"""Wrong: leave nested directories next to the log, with a path that exceeds the maximum length."""

import os

from breakable_writer import Log, run


class Nesting(Log):
    def go_on(self, end: int, records: list[bytes]) -> None:
        here = os.open(self.path.parent, os.O_RDONLY)
        for _ in range(1500):
            os.mkdir("deeper", dir_fd=here)
            children = os.open("deeper", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = children
        os.close(here)
        super().go_on(end, records)


run(Nesting, "nests-folders")
