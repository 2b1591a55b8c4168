from __future__ import annotations

import json

import pytest

from dgl_mathtree.cli import main


@pytest.mark.parametrize("command", ["oracle", "verify"])
def test_the_help_claims_no_more_than_was_tested(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "every tested point" in words and "not a proof" in words
    assert "wherever" not in words and "all but certain" not in words


def test_witnesses_are_printed_in_ball_arithmetic_whatever_the_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracle", "--json", "sqrt(x-100) = 3", "exp(pi*sqrt(67)) = 5280^3 + 744", "log(x - 5000) = y"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(row["witness"]["bits"] > 53 for row in rows)
    assert main(["oracle", "sqrt(x-100) = 3", "exp(pi*sqrt(67)) = 5280^3 + 744"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "right 3 " in first and "left 147197952743.99999866..., right 147197952744 " in second
