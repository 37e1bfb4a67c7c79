"""Wrong: empty the log before refusing correctly."""

from breakable_writer import Log, run


class Emptying(Log):
    def refuse(self) -> None:
        self.cut(0)
        super().refuse()


run(Emptying, "changes-the-log-while-refusing")
