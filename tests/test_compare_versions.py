"""tools/compare_versions.py: two checkouts run the same command lines, and every difference is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.markdown import ROOT

PROGRAM = """
import sys
from pathlib import Path

def main(arguments):
    if arguments[0] == "--version":
        print("{version}")
    elif arguments[0] == "count":
        print(len(sys.stdin.read().split()), "words in 0.{version}1 s")
    elif arguments[0] == "write":
        Path(arguments[1]).write_text('{{"seconds": 0.{version}, "same": 1, "other": {version}}}')
    else:
        sys.exit(f"no command in version {version}")
    return 0
"""


def test_every_difference_is_printed(tmp_path: Path) -> None:
    for version, name in enumerate(("before", "after"), start=1):
        package = tmp_path / name / "dgl_mathtree"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "cli.py").write_text(PROGRAM.format(version=version))
    start = tmp_path / "folder" / "start"
    start.mkdir(parents=True)
    (start / "words").write_text("two words")
    (tmp_path / "commands").write_text("# a comment\ncount < words\nwrite out.json\n\nnothing 'at all'\n")
    places = [str(tmp_path / name) for name in ("before", "after", "commands", "folder")]
    command = [sys.executable, str(ROOT / "tools" / "compare_versions.py"), *places]
    for _ in range(2):  # what the first run left does not count
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.splitlines() == [
            "mathtree write out.json",
            "  file out.json:",
            '    - "other": 1,',
            '    + "other": 2,',
            "",
            "mathtree nothing 'at all'",
            "  standard error:",
            "    -no command in version 1",
            "    +no command in version 2",
            "",
            "3 commands, 2 differ",
        ]
