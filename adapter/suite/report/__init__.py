"""A run's summary in the forms people and machines read: text, JUnit XML, Markdown, one HTML page."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapter.suite.summary import SuiteSummary

# The module of each form of report; its `of` makes one of a summary.
FORMS = {
    "junit": "adapter.suite.report.junit",
    "markdown": "adapter.suite.report.markdown",
    "html": "adapter.suite.report.page",
}


def write(form: str, path: str | Path, summary: SuiteSummary) -> None:
    """Writes a report. Raises ConfigError for a file that cannot be written."""
    from adapter.errors import ConfigError

    made: str | bytes = import_module(FORMS[form]).of(summary)
    data = made if isinstance(made, bytes) else made.encode("utf-8", "backslashreplace")
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
