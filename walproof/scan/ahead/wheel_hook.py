"""Puts a library of kernels into the wheel: a hook of hatchling, which runs this file alone.

``WALPROOF_WHEEL_KERNELS=FILE`` names the library that ``make kernels`` made; without it the wheel
is for every machine and has none. The library asks for no version of any libc, so one wheel is for
glibc and musl.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "WALPROOF_WHEEL_KERNELS"


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the file, and says for which machines the wheel is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds."""
        if self.target_name != "wheel" or not (told := os.environ.get(VARIABLE)):
            return
        library = Path(told).resolve(strict=True)
        machine = library.stem.rpartition("linux-")[2]
        tags = f"manylinux2014_{machine}.musllinux_1_1_{machine}"
        build_data["force_include"][str(library)] = f"walproof/scan/ahead/libraries/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tags}"
