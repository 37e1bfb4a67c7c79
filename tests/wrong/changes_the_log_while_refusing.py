"""Wrong: refuses as it must, and has emptied the log before it does."""

from breakable_writer import Log, run


class Emptying(Log):
    def refuse(self) -> None:
        self.cut(0)
        super().refuse()


run(Emptying, "changes-the-log-while-refusing")
