"""Starts the scripted engine on standard input and output."""

import sys

from engines.scripted.command import main

sys.exit(main())
