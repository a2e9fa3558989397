"""``python -m spanagree``."""

import sys

from spanagree.cli import main

sys.exit(main())
