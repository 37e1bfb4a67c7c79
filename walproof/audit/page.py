"""The summary as one self-contained HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from walproof import quantity
from walproof.audit import plots
from walproof.audit.summary import VERDICTS
from walproof.audit.terminal import short_path

_TEMPLATES = Path(__file__).with_name("templates")
REASONS = 24


def render(summary: Mapping[str, Any]) -> str:
    """The page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters.update(size=quantity.in_bytes, number=quantity.number, width=quantity.width)
    time = summary["over_time"]
    return environment.get_template("summary.html.j2").render(
        s=summary,
        verdicts=VERDICTS,
        short=lambda file: short_path(file, summary["paths"]),
        style=Markup((_TEMPLATES / "summary.css").read_text(encoding="utf-8")),
        reasons=Markup(_reasons(summary["reasons"])),
        more_reasons=max(0, len(summary["reasons"]) - REASONS),
        where=Markup(_where(summary["where"])),
        over_time=Markup(_over_time(time)) if time else None,
        own_clock=bool(time and any(time["by_record"])),
        file_clock=bool(time and any(time["by_file"])),
        record_sizes=Markup(_sizes(summary["record_sizes"], "records")),
        file_sizes=Markup(_sizes(summary["file_sizes"], "files")),
        lanes=[Markup(plots.lane(each["size"], each["ranges"])) for each in summary["worst"]],
    )


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for each in reasons[:REASONS]:
        files = quantity.counted(each["files"], "file")
        note = f"refused, {files}"
        if each["verdict"] != "refused":
            ranges = quantity.counted(each["ranges"], "range")
            note = f"{ranges}, {quantity.in_bytes(each['bytes'])}, {files}"
        label = f"{each['format']}  {each['reason']}"
        rows.append((label, each["verdict"], each["ranges"] or each["files"], note))
    return plots.bars(rows, 880)


def _where(where: Mapping[str, Any]) -> str:
    steps = where["steps"]
    labels = [f"{n * 100 / steps:g}–{(n + 1) * 100 / steps:g} %" for n in range(steps)]
    ticks = [(steps * part / 4, f"{25 * part} %") for part in range(5)]
    series = [
        plots.Series(kind, kind, where[kind]) for kind in ("damaged", "torn") if any(where[kind])
    ]
    return plots.columns(series, labels, ticks, "lost ranges", 880)


def _over_time(time: Mapping[str, Any]) -> str:
    count = len(time["by_record"])
    starts = [_moment(time["from"], time["width"] * n, time["width"]) for n in range(count + 1)]
    labels = [f"{start}, {quantity.width(time['width'])}" for start in starts[:-1]]
    shown = sorted({0, count // 2, count}) if count > 3 else [0, count]
    series = [
        plots.Series(kind, name, time[key])
        for kind, name, key in (
            ("own", "by the record's clock", "by_record"),
            ("file", "by the file's time", "by_file"),
        )
        if any(time[key])
    ]
    return plots.columns(series, labels, [(n, starts[n]) for n in shown], "records", 880)


def _moment(first: str, seconds: int, width: int) -> str:
    """A moment as text; days alone where all bars begin at midnight."""
    try:
        moment = datetime.fromisoformat(first.replace("Z", "+00:00")) + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return f"{first} + {seconds} s"
    return moment.strftime("%Y-%m-%d" if width % 86_400 == 0 else "%Y-%m-%d %H:%M:%S")


def _sizes(sizes: Sequence[Sequence[int]], noun: str) -> str:
    if not sizes:
        return ""
    known = {bits: count for bits, count in sizes}
    first, last = min(known), max(known)
    last = max(last, first + 7)
    bits = range(first, last + 1)
    labels = [_between(n) for n in bits]
    step = max(1, -(-len(bits) // 6))
    ticks = [(n - first, quantity.in_bytes(1 << max(0, n - 1))) for n in bits[::step]]
    values = [known.get(n, 0) for n in bits]
    return plots.columns([plots.Series("file", noun, values)], labels, ticks, noun, 430)


def _between(bits: int) -> str:
    if bits == 0:
        return "empty"
    return f"{quantity.in_bytes(1 << (bits - 1))} to {quantity.in_bytes(1 << bits)}"
