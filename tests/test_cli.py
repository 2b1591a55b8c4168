"""The command as its users give it: some in processes of their own, the others in this one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

import dgl_mathtree
from dgl_mathtree.cli import main
from dgl_mathtree.language import mathml, parse_equation

KEYS = {"equation", "depth", "verdict", "complex_verdict", "defined", "equal"}


COMMAND = [sys.executable, "-m", "dgl_mathtree"]


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """What a command does, without the start of a process: its exit code, and what it writes."""
    with (
        mock.patch("sys.stdin", io.StringIO(stdin)),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = int(str(end.code))
    return subprocess.CompletedProcess([*COMMAND, *arguments], code, out.getvalue(), err.getvalue())


def started(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=120)


def test_the_installed_command() -> None:
    command = Path(sys.executable).with_name("mathtree")
    result = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"mathtree {dgl_mathtree.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["parse", "--help"], ["oracle", "--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "oracle" in text or "Example: mathtree" in text


def test_parse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "2x + sin^2(x) = 1"]) == 0
    assert capsys.readouterr().out == "2*x + sin(x)^2 = 1\n"
    assert main(["parse", "2x = 1", "--latex"]) == 0
    assert capsys.readouterr().out == "2 \\times x = 1\n"
    assert main(["parse", "2x = 1", "--tree"]) == 0
    assert capsys.readouterr().out.splitlines() == ["Equality", "├─ Mul", "│  ├─ 2", "│  └─ x", "└─ 1"]
    assert main(["parse", "--json", "2x = 1"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "equation": "2*x = 1",
        "mathml": mathml(parse_equation("2x = 1"), display="block"),
        "latex": "2 \\times x = 1",
        "depth": 2,
        "size": 5,
        "variables": ["x"],
        "prefix": ["Equality", "Mul", "2", "x", "1"],
    }
    assert main(["parse", "x + ? = 1"]) == 0
    assert capsys.readouterr().out == "x + ? = 1\n"
    assert main(["parse", "x - 1"]) == 0
    assert capsys.readouterr().out == "x - 1\n"


def test_an_equation_may_start_with_a_minus() -> None:
    assert started("parse", "-x = -1*x").stdout == "-1*x = -1*x\n"
    assert run("oracle", "-x = -1*x", "--json").stdout.startswith('{"equation": "-1*x = -1*x"')
    assert run("oracle", "--json", "--", "-x = 0").returncode == 0
    assert run("parse", "-x=-1*x").stdout == "-1*x = -1*x\n"
    assert run("oracle", "-x=-x", "-2=-2", "--seed", "3").stdout.count("true ") == 2


def test_encodings(tmp_path: Path) -> None:
    file = tmp_path / "bom.txt"
    file.write_bytes("x² = x*x\n".encode("utf-8-sig"))
    assert started("oracle", "--file", str(file)).returncode == 0
    bad = subprocess.run([*COMMAND, "oracle", "--file", "-"], input=b"x = x\n\xff = 1\n", capture_output=True)
    assert bad.returncode == 2
    assert bad.stdout.startswith(b"true")
    assert b"line 2, column 1" in bad.stderr
    assert b"Traceback" not in bad.stderr
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    tree = subprocess.run([*COMMAND, "parse", "x = 1", "--tree"], env=ascii_only, capture_output=True)
    assert tree.returncode == 0
    assert tree.stdout.splitlines()[0] == b"Equality"


def test_oracle_json() -> None:
    result = run("oracle", "sin(x)^2+cos(x)^2=1", "sqrt(x^2)=x", "--json")
    assert result.returncode == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["true", "branch"]
    assert all(set(row) >= KEYS for row in rows)
    assert rows[0]["equation"] == "sin(x)^2 + cos(x)^2 = 1"
    assert rows[0]["depth"] == 4
    assert rows[0]["complex_verdict"] == "true"


def test_oracle_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracle", "x = y", "x = x"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("false ")
    assert second.startswith("true (proved)")


def test_bad_lines_of_a_file_do_not_stop_the_others(tmp_path: Path) -> None:
    file = tmp_path / "equations.txt"
    file.write_text("x = x\n\nsine(x) = 1\nx + = 1\r\ny = y + 1\n", encoding="utf-8")
    result = run("oracle", "--json", "--file", str(file))
    assert result.returncode == 2
    assert [json.loads(line)["verdict"] for line in result.stdout.splitlines()] == ["true", "false"]
    errors = result.stderr.splitlines()
    assert len(errors) == 2
    assert "line 3, column 1" in errors[0]
    assert "did you mean sin?" in errors[0]
    assert "line 4, column 5" in errors[1]


def test_standard_input_and_arguments_together() -> None:
    result = started("oracle", "x = 1", "--file", "-", stdin="x = x\n1 = 2")
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["false", "true", "false"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["parse", "sin(x = 1"], "line 1, column 7"),
        (["oracle", "x = x", "x ="], "argument 2, line 1, column 4"),
        (["oracle", "x + 1"], "no equals sign"),
        (["oracle"], "no equation given"),
        (["oracle", "--file", "no/such/file"], "cannot read no/such/file"),
        (["oracle", "--file", "."], "cannot read"),
        (["oracle", "x = x", "--seed", "-1"], "--seed"),
        (["parse"], "EQ"),
        (["verfy"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_bad_input_ends_with_code_2_and_no_traceback(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["oracle", "x = x", "x ="], ["oracle"], ["verfy"]])
def test_a_process_ends_with_code_2_and_no_traceback(arguments: list[str]) -> None:
    result = started(*arguments)
    assert (result.returncode, result.stdout[:4]) == (2, "true" if len(arguments) > 1 else "")
    assert result.stderr.startswith("mathtree: ") and "Traceback" not in result.stderr


def test_a_typed_equation_is_shown_with_a_caret() -> None:
    lines = run("parse", "1 + sine(x) = 1").stderr.splitlines()
    assert lines[0].endswith("did you mean sin?")
    assert lines[1] == "  1 + sine(x) = 1"
    assert lines[2] == "      ^"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    file.write_bytes(bytes(range(256)) * 4)
    result = started("oracle", "--file", str(file))
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_a_reader_that_goes_away() -> None:
    lines = "x = x\n" * 5000
    process = subprocess.Popen(
        [*COMMAND, "oracle", "--file", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    try:
        process.stdin.write(lines)
        process.stdin.close()
    except BrokenPipeError:
        pass
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in errors


@pytest.fixture(scope="module")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("cli") / "small"
    result = run("generate", str(out), "--scale", "0.005", "--seed", "3")
    assert result.returncode == 0, result.stderr
    assert "equations in" in result.stdout
    return out


def test_generate_is_deterministic(small_data: Path, tmp_path: Path) -> None:
    assert run("generate", str(tmp_path / "again"), "--scale", "0.005", "--seed", "3", "--workers", "2").returncode == 0
    for name in ("equations.jsonl", "card.json", "card.md"):
        assert (tmp_path / "again" / name).read_bytes() == (small_data / name).read_bytes()


def test_data_audit_and_trace(small_data: Path) -> None:
    assert (
        (small_data / "card.md").read_text(encoding="utf-8").endswith(f"---\n\n{run('data', str(small_data)).stdout}")
    )
    assert json.loads(run("data", str(small_data), "--json").stdout)["seed"] == 3
    lines = run("audit", str(small_data), "--seed", "9").stdout.splitlines()
    assert lines[-1].endswith("0 labelled correct are not judged true, 0 labelled incorrect are not judged false")
    facts = json.loads(run("audit", str(small_data), "--json").stdout)
    assert facts["wrong_positives"] == facts["doubtful_negatives"] == 0
    certified = json.loads(run("audit", str(small_data), "--certify", "--json").stdout)
    assert certified["proved"] > 0 < certified["witnessed"]
    assert certified["proved"] + certified["witnessed"] + len(certified["tested"]) == certified["count"]
    assert run("audit", str(small_data), "--workers", "0").returncode == 2
    row = json.loads((small_data / "equations.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    chain = run("trace", str(small_data), row["id"]).stdout.splitlines()
    assert chain[-3].split("  ")[-1].strip() == row["equation"]
    assert len(chain) == 2 * len(row["derivation"]) + 1


@pytest.mark.slow
def test_an_audit_by_several_processes_says_the_same(small_data: Path) -> None:
    alone, together = (
        json.loads(run("audit", str(small_data), "--certify", "--json", *more).stdout)
        for more in ((), ("--workers", "2"))
    )
    assert alone == together and alone["proved"] > 0


def test_audit_finds_wrong_labels(small_data: Path, tmp_path: Path) -> None:
    lines = (small_data / "equations.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0])
    lines[0] = json.dumps({**row, "label": 1 - row["label"]})
    (tmp_path / "equations.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = run("audit", str(tmp_path)).stdout
    assert output.startswith(f"{row['id']}: labelled")


def test_export_and_import(small_data: Path, tmp_path: Path) -> None:
    result = run("export", str(small_data), str(tmp_path / "all.bin"), "--shared")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "all.bin").is_file()
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["shared"] is True
    original = [
        [{"equation": {"func": "Equality,Symbol,#,#,Symbol,#,#", "vars": ",var_0,#,#,var_0,#,#"}, "label": "1"}]
    ]
    (tmp_path / "original.json").write_text(json.dumps(original), encoding="utf-8")
    imported = run("import-original", str(tmp_path / "original.json"), "--out", str(tmp_path / "imported"))
    assert imported.returncode == 0, imported.stderr
    assert imported.stdout.startswith("1 equations in")
    assert "original" in run("data", str(tmp_path / "imported")).stdout
    assert run("trace", str(tmp_path / "imported"), "original-00000").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "OUT", "--recipe", "papr"], "unknown recipe 'papr'"),
        (["generate", "OUT", "--split", "random"], "unknown split 'random'"),
        (["generate", "OUT", "--seed", "-1"], "--seed"),
        (["generate", "OUT", "--workers", "0"], "at least 1"),
        (["generate", "OUT", "--scale", "0"], "positive"),
        (["generate", "."], "exists"),
        (["data", "no/such"], "there is no data no/such"),
        (["audit", "large"], "mathtree generate OUT --recipe large"),
        (["trace", "paper", "paper-999999"], "no equation paper-999999"),
        (["export", "paper", "no/such/out.bin", "--split", "validation"], "there is no folder"),
        (["import-original", "no/such.json", "--out", "OUT"], "cannot read"),
    ],
)
def test_bad_requests_about_data(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = run(*[str(tmp_path / "out") if argument == "OUT" else argument for argument in arguments])
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["trian", "paper"], "; did you mean train?"),
        (["train", "paper", "--out", "run", "--hiden", "3"], "; did you mean --hidden?"),
        (["oracle", "x = x", "--sed=3"], "; did you mean --seed?"),
        (["oracle", "x = x", "--zzzzzz"], "unrecognized arguments: --zzzzzz; see mathtree --help"),
    ],
)
def test_what_may_have_been_meant(arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert meant in said and said.count("\n") == 1
