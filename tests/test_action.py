"""The steps of ``action.yml`` run in bash as on a code host, with inputs, outputs and commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
import yaml

from conformance import ROOT
from conformance.reports import json_report
from walproof.cli import walproof

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
RIGHT = f"{sys.executable} reader.py"
SMALL = "--vector one-record --vector payload-flipped-in-second-record --jobs 1"

pytestmark = pytest.mark.xdist_group("action")


@dataclass
class Done:
    """The outcome of the action. ``commands`` has the workflow commands that the host executes."""

    status: int
    log: str
    summary: str
    outputs: Mapping[str, str]
    commands: list[str] = field(default_factory=list)


def schema(name: str) -> Any:
    folder = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


def value(text: str, known: Mapping[str, str]) -> str:
    """Replace the expressions in a text. An unknown expression is empty, as on a host."""
    return EXPRESSION.sub(lambda result: known.get(result[1], ""), text)


def obeyed(log: str) -> Iterator[str]:
    """Yield the workflow commands, in both forms, that ``actions/runner`` would execute."""
    stopped = None
    for line in log.splitlines():
        text = line.lstrip()
        if stopped is not None:
            stopped = None if text == f"::{stopped}::" else stopped
        elif text.startswith("::stop-commands::"):
            stopped = text.removeprefix("::stop-commands::")
        elif re.match(r"::[\w-]+( [^:]*)?::", text) or "##[" in text:
            yield text


class Host:
    """A host with readers in its workspace, and a folder in which Walproof is installed."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.temp = folder / "workspace", folder / "temp"
        self.workspace.mkdir()
        self.temp.mkdir()
        shutil.copy(ROOT / "conformance" / "examples" / "python" / "adapter.py",
                    self.workspace / "reader.py")  # fmt: skip
        for name in ("breakable_reader", "ignores_checksums"):
            text = (ROOT / "tests" / "wrong" / f"{name}.py").read_text("utf-8")
            (self.workspace / f"{name}.py").write_text(text)

    def run(self, *, install: bool = False, **inputs: str) -> Done:
        """Run the steps of the action. The first step, which installs Walproof, is optional."""
        given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): text for name, text in inputs.items()}
        known = {f"inputs.{name}": text for name, text in given.items()}
        files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        log, status = "", 0
        for step in ACTION["runs"]["steps"][0 if install else 1 :]:
            script = self.temp / "step.sh"
            script.write_text(step["run"])
            environment = {
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.temp), "RUNNER_TEMP": str(self.temp), "CI": "true",
                "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(self.workspace),
                # The packages that pip would install are already on the path, so that no test uses
                # a registry.
                "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_COMPILE": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": sysconfig.get_paths()["purelib"],
                **{name: str(file) for name, file in files.items()},
                **{name: value(text, known) for name, text in step.get("env", {}).items()},
            }  # fmt: skip
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                cwd=self.workspace, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
            )  # fmt: skip
            log, status = log + done.stdout, done.returncode
            lines = files["GITHUB_OUTPUT"].read_text().splitlines()
            message = dict(line.split("=", 1) for line in lines)
            known |= {
                f"steps.{step.get('id')}.outputs.{name}": text for name, text in message.items()
            }
            if status:
                break
        outputs = {name: value(each["value"], known) for name, each in ACTION["outputs"].items()}
        summary = files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        return Done(status, log, summary, outputs, list(obeyed(log)))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Host, Done]:
    """Return a host, and the outcome of the action for a correct reader."""
    created = Host(tmp_path_factory.mktemp("host"))
    requested = {"command": RIGHT, "formats": "leveldb-log", "profile": "recover"}
    return created, created.run(install=True, arguments=SMALL, **requested)


@pytest.fixture
def host(first: tuple[Host, Done]) -> Host:
    return first[0]


def test_the_action_is_valid() -> None:
    jsonschema.validate(ACTION, schema("github-actions"))


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")))
def test_workflows_are_workflows(path: Path) -> None:
    # YAML 1.1 parses the key `on` as true.
    body = {
        "on" if key is True else key: each for key, each in yaml.safe_load(path.read_text()).items()
    }
    jsonschema.validate(body, schema("github-workflows"))


def test_no_input_becomes_code() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])


def test_a_right_reader(first: tuple[Host, Done]) -> None:
    host, done = first
    assert done.status == 0 and "All is as expected." in done.log, done.log
    assert done.outputs["score"] == "1/1 pairs" and done.outputs["failed"] == "0"
    assert done.commands == []
    for name in ("sarif", "junit"):
        assert (host.workspace / done.outputs[name]).stat().st_size
    assert done.summary.startswith("## Walproof: example-python: 1/1 pairs")


def test_a_wrong_reader_and_its_list(host: Host) -> None:
    requested = {"command": f"{sys.executable} ignores_checksums.py", "profile": "recover"}
    done = host.run(arguments=SMALL, **requested)
    assert done.status == 3
    assert done.outputs["score"] == "0/1 pairs" and done.outputs["failed"] == "1"
    assert "LDB-028" in done.summary and "<details>" in done.summary
    report = json_report.load(host.workspace / "walproof-report")
    (wrong,) = [each for each in report["implementations"][0]["results"] if each["class"] == "fail"]
    pinned = {key: wrong[key] for key in ("vector", "profile", "found")}
    listed = {"causes": {"blind": "It never looks."},
              "failures": [{**pinned, "result": "fail", "cause": "blind"}]}  # fmt: skip
    (host.workspace / "known.json").write_text(json.dumps(listed))
    done = host.run(arguments=SMALL, known_failures="known.json", **requested)
    assert (done.status, done.outputs["failed"]) == (0, "0"), done.log


def test_a_program_cannot_give_the_host_commands(host: Host) -> None:
    (host.workspace / "forger.py").write_text(
        "import sys\n"
        "print('::error::forged\\n##[error]forged', file=sys.stderr)\n"
        "print('::add-mask::forged\\n::stop-commands::forged', flush=True)\n"
        "sys.exit('::error::forged')\n"
    )
    forger = f"{sys.executable} forger.py"
    done = host.run(command=forger, formats="leveldb-log", arguments=f"{SMALL} --no-isolation")
    assert done.status and re.search(r"^ *\| ::error::forged$", done.log, re.MULTILINE)
    assert done.commands == []


def test_arguments_are_not_code_and_an_old_report_is_not_repeated(host: Host) -> None:
    command, formats = "$(touch made) reader", "* `touch made`"
    done = host.run(command=command, formats=formats, arguments="; touch made")
    assert done.status == 1 and not (host.workspace / "made").exists()
    (message,) = done.commands
    assert message.startswith("::error title=walproof check::Nothing was run")
    assert done.outputs["score"] == "" and done.summary == ""


def test_the_image_copies_existing_files_and_all_sources_of_the_wheel() -> None:
    stored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    stored = [line.removeprefix("!") for line in stored if line.startswith("!")]
    assert all(list(ROOT.glob(name)) for name in stored)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["only-include"], "spec", "ksy", "vectors"}
    needed |= {project["project"]["readme"], project["tool"]["hatch"]["version"]["path"]}
    assert needed - set(stored) == set()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M)
    assert copied and all((ROOT / name).exists() for line in copied for name in line.split())


def test_hooks_are_commands_with_their_options() -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")):
        assert {"id", "name", "entry", "language", "files"} <= set(hook)
        program, name, *options = hook["entry"].split()
        command = walproof.get_command(click.Context(walproof), name)
        assert program == "walproof" and command is not None
        known = {each for parameter in command.params for each in parameter.opts}
        assert {each for each in options if each.startswith("--")} <= known
        assert re.search(hook["files"], "ksy/toy_log.ksy")
