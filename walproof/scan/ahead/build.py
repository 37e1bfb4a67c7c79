"""Makes the library: ``python -m walproof.scan.ahead.build [FOLDER]``, or in ``.build/kernels``.

It needs numba and a C compiler (``$CC``, else ``cc``), on Linux; the library needs neither, and no
library of its own: what it asks of C (``memcpy`` and so on) the process has already, by whichever
libc. The code is for any processor that pyarrow's own wheels run on, x86-64 with SSE 4.2.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from reference_impl.places import BUILD
from walproof.scan.ahead import NUMBA, SCANNERS, VARIABLE, name
from walproof.scan.ahead.packed import SUFFIX, taking_packed

PROCESSORS = {
    "x86_64": ("x86-64-v2", "+crc32,+cx16,+sahf,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3"),
    "aarch64": ("generic", "+neon"),
}
"""What numba is told of the processor, by the machine's name."""
COMPILE = "--compile"
SECONDS = 120
"""How long the C compiler may take."""


class CannotBuild(Exception):
    """What is missing here, in a sentence."""


def build(folder: Path) -> Path:
    """Compile all kernels and put the library into ``folder``, unless it is there.

    Raises :class:`CannotBuild`. Compiled is in a process of its own: numba takes the processor from
    the environment when it is imported.
    """
    if (made := folder / name()).exists():
        return made
    told = PROCESSORS.get(platform.machine())
    if sys.platform != "linux" or told is None:
        raise CannotBuild(f"no library is made for {sys.platform} on {platform.machine()}")
    of_processor = {"NUMBA_CPU_NAME": told[0], "NUMBA_CPU_FEATURES": told[1]}
    done = subprocess.run(
        [sys.executable, "-m", "walproof.scan.ahead.build", COMPILE, str(folder)],
        env=os.environ | of_processor | {VARIABLE: NUMBA},
    )
    if done.returncode:
        raise CannotBuild("the kernels were not compiled; see above")
    return made


def _compile(folder: Path) -> None:
    """Compile and link, as numba is told by the environment."""
    from walproof.scan import compiled
    from walproof.scan.ahead.calls import symbol

    compiled.AHEAD = []
    for path in sorted(SCANNERS.rglob("*.py")):
        module = path.relative_to(SCANNERS).with_suffix("").parts
        if module[0] != "ahead" and module[-1] != "__init__":
            importlib.import_module(".".join(("walproof", "scan", *module)))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        objects, names = [], dict[str, str]()
        for number, kernel in enumerate(compiled.AHEAD):
            (made,) = kernel.overloads.values()
            objects.append(Path(scratch) / f"{number}.o")
            called = made.fndesc.llvm_func_name
            objects[-1].write_bytes(_object(made.library.get_llvm_str(), called))
            function = kernel.py_func
            names[symbol(function.__module__, function.__name__)] = called + SUFFIX
        exported = "".join(f"{one};" for one in (*names, "walproof_give_back"))
        (versions := Path(scratch) / "versions").write_text(f"{{global:{exported} local:*;}};\n")
        made_at = Path(scratch) / "library.so"
        subprocess.run(
            [
                *shlex.split(os.environ.get("CC", "cc")), "-O2", "-shared", "-fPIC", "-nostdlib",
                str(Path(__file__).with_name("runtime.c")), *map(str, objects), "-s",
                *(f"-Wl,--defsym={one}={mangled}" for one, mangled in names.items()),
                f"-Wl,--version-script={versions}", "-o", str(made_at),
            ],
            check=True, timeout=SECONDS,
        )  # fmt: skip
        ctypes.CDLL(str(made_at), mode=os.RTLD_NOW)  # nothing is left unresolved
        made_at.replace(folder / name())


def _object(code: str, name: str) -> bytes:
    """Optimised code of LLVM as an object file that may lie anywhere in memory.

    Beside the function ``name`` stands the one that takes its arguments packed.

    That of numba itself is meant to be run at once, where it is: a dynamic linker of musl does not
    change the addresses in it.
    """
    import llvmlite.binding as llvm

    processor, features = PROCESSORS[platform.machine()]
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(
        cpu=processor, features=features, opt=3, reloc="pic", codemodel="small"
    )
    whole = llvm.parse_assembly(code)
    packed = llvm.parse_assembly(taking_packed(whole.get_function(name)))
    packed.triple, packed.data_layout = whole.triple, whole.data_layout
    whole.link_in(packed)
    return bytes(machine.emit_object(whole))


def main(arguments: list[str]) -> None:
    """The command; ends with a sentence where the library cannot be made."""
    if arguments[:1] == [COMPILE]:
        return _compile(Path(arguments[1]))
    try:
        print(build(Path(arguments[0]) if arguments else BUILD / "kernels"))
    except CannotBuild as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
