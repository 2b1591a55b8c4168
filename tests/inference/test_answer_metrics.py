from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.inference.blanks import read_blanks
from dgl_mathtree.oracle import Oracle

BLANKS = Path(__file__).parents[2] / "datasets" / "blanks"


@pytest.mark.parametrize("name", ["development", "held-out"])
def test_what_was_in_the_blanks_of_textbooks_is_true(name: str) -> None:
    blanks = read_blanks(BLANKS / f"{name}.jsonl")
    judged = Oracle(complex_plane=False).judge(blank.filled for blank in blanks)
    assert {judgement.verdict for judgement in judged} == {"true"}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (BLANKS / "held-out.jsonl").read_text().splitlines()[::30]
    (tmp_path / "blanks.jsonl").write_text(
        "\n".join([*lines, json.dumps({"id": "7", "equation": "0*? = 1", "filling": "x"})])
    )
    options = [str(tmp_path / "blanks.jsonl"), "--answers", "--ranks", str(tmp_path / "ranks.jsonl")]
    assert main(["evaluate-completion", "shipped", *options, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    count = len(lines) + 1
    assert result["overall"]["count"] == count == sum(row["count"] for row in result["by_kind"].values())
    assert result["overall"]["top1"] == pytest.approx(len(lines) / count)
    ranks = [json.loads(line) for line in (tmp_path / "ranks.jsonl").read_text().splitlines()]
    assert [row["rank"] for row in ranks] == [1] * len(lines) + [None]
    assert main(["evaluate-completion", "shipped", *options]) == 0
    assert "as mathtree complete answers them" in capsys.readouterr().out
    assert main(["evaluate-completion", "shipped", *options, "--candidates", "c.json"]) == 2
    assert "takes no --candidates" in capsys.readouterr().err
