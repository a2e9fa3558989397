"""Tables for papers compile: those of all results, by all that they break down by, in both styles."""

from __future__ import annotations

import contextlib
import shutil
import subprocess

import pytest
from test_results import makers

import spanagree as sa
from spanagree.results.data import STYLES
from spanagree.results.result import Result

DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


@pytest.mark.slow
@pytest.mark.parametrize("style", list(STYLES["latex"]))
def test_all_results(style, tmp_path):
    """Oracle: pdfTeX, which ends at the first error. Packages are those that comments name."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    tables = []
    for name, arguments in makers().items():
        result = getattr(sa, name)(*arguments)
        for by in (None, *result.BY) if isinstance(result, Result) else ():
            with contextlib.suppress(sa.SettingError):  # of α_U, pairs were not asked for
                tables.append(result.to_latex(by, style))
    assert len(tables) > 50
    packages = [line for table in tables for line in table.split("\n") if "usepackage" in line]
    assert {*packages} == ({r"% needs \usepackage{booktabs}"} if style == "acl" else set())
    (tmp_path / "t.tex").write_text(DOCUMENT % "\n\\clearpage\n".join(tables), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size
