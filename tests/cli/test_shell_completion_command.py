"""What shells are told, in bash as bash completes it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from dgl_mathtree.cli import main


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["shell-completion", shell]) == 0
    return capsys.readouterr().out


def completed(source: str, *words: str) -> set[str]:
    """What bash offers for the last of some words after `mathtree`."""
    typed = " ".join(f"'{word}'" for word in ("mathtree", *words))
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _mathtree; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", f"{source}\n{ask}"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_choices(capsys: pytest.CaptureFixture[str]) -> None:
    source = script("bash", capsys)
    assert completed(source, "pro") == {"prove"}
    assert completed(source, "ver") == {"verify"}
    assert {"--version", "--help"} <= completed(source, "--")
    assert completed(source, "prove", "--st") == {"--steps"}
    assert completed(source, "prove", "--steps", "") == {"search", "normal"}
    assert "validation" in completed(source, "export", "--part", "")
    assert "--propagate" not in source and completed(source, "nothing", "--x") == set()


def test_the_other_shells(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("zsh", capsys).startswith("autoload -U +X bashcompinit")
    fish = script("fish", capsys).splitlines()
    assert "complete -c mathtree -n '__fish_seen_subcommand_from prove' -l steps -x -a 'search normal'" in fish
    assert main(["shell-completion", "bash"]) == 0


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["shell-completion", "tcsh"])
    assert caught.value.code == 2
    assert "tcsh" in capsys.readouterr().err
