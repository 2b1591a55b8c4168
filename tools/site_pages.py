"""Pages of the documentation site that lie outside of docs/: a hook of mkdocs, named in mkdocs.yml.

The site's first page is README.md; the changelog and the guide to contributing are pages, too. Links between them and
docs/ are changed so that they hold on the site; examples and data become files of the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
"""Files of the repository that are pages, and their names on the site."""
_LINK = re.compile(r"(\]\()((?:\.\./)?[\w./-]+)(#[\w-]+)?(\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages, and the files that any page links to."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, content=_on_site(ROOT / source, ROOT, files, config)))
    for page in [file for file in files.documentation_pages() if file.src_dir is not None]:
        page.content_string = _on_site(Path(page.abs_src_path or ""), ROOT / "docs", files, config)
    return files


def _on_site(page: Path, folder: Path, files: Files, config: Any) -> str:
    """The text of a page, its links to files of the repository turned into links of the site."""

    def link(found: re.Match[str]) -> str:
        start, target, anchor, end = found.groups()
        path = (folder / target).resolve()
        if not path.is_file() or ROOT not in path.parents:
            return found[0]
        if path.suffix == ".md" and path.with_suffix(".html").is_file():  # a report, whose page is complete in itself
            path, anchor = path.with_suffix(".html"), ""
        name = path.relative_to(ROOT).as_posix()
        on_site = PAGES.get(name, name.removeprefix("docs/"))
        if name == on_site and name not in PAGES and files.get_file_from_path(name) is None:
            files.append(File.generated(config, name, abs_src_path=str(path)))
        return f"{start}{on_site}{anchor or ''}{end}"

    return _LINK.sub(link, page.read_text(encoding="utf-8"))
