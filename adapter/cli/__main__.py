"""`python -m adapter.cli` is `fenwire`."""

from __future__ import annotations

import sys

from adapter.cli import main

sys.exit(main())
