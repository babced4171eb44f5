"""Reports of a run: text, JUnit XML, Markdown, HTML."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapter.suite.summary import SuiteSummary

# The module and function of each form of report, imported when it is asked for.
FORMS = {
    "junit": ("junit", "junit_xml"),
    "markdown": ("documents", "markdown"),
    "html": ("documents", "html_page"),
}


def write(form: str, path: str | Path, summary: SuiteSummary) -> None:
    """Write a report. Raises ConfigError for a file that cannot be written."""
    from adapter.errors import ConfigError

    module, function = FORMS[form]
    report: str | bytes = getattr(import_module(f"{__name__}.{module}"), function)(summary)
    data = report if isinstance(report, bytes) else report.encode("utf-8", "backslashreplace")
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
