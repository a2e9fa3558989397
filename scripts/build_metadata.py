"""What a build writes from the version and the repository's address: a hook of hatchling.

Indexes show the README alone, so its links are made absolute; without an address they stay as they
are, and no addresses are written.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def constants() -> tuple[str, str]:
    """Return the version and the repository's address."""
    text = (ROOT / "spanagree" / "version.py").read_text("utf-8")
    version, address = (
        re.search(rf'^{name} = "(.*)"$', text, re.M)[1]  # type: ignore[index]  # both are there
        for name in ("__version__", "ADDRESS")
    )
    return version, address.rstrip("/")


def absolute(text: str, version: str, address: str) -> str:
    """Return a text whose links to files lead to the release in the repository.

    >>> absolute("[a](docs/a.md#b) ![c](c.png) [d](https://e.org)", "1.0", "https://r.org/x")
    '[a](https://r.org/x/blob/v1.0/docs/a.md#b) ![c](https://r.org/x/raw/v1.0/c.png) [d](https://e.org)'
    """
    if not address:
        return text

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{found[2]}]({address}/{kind}/v{version}/{found[3]})"

    return LINK.sub(link, text)


class Metadata(MetadataHookInterface):
    """The README and the addresses of a build."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both."""
        version, address = constants()
        readme = absolute((ROOT / "README.md").read_text("utf-8"), version, address)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        if address:
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/blob/v{version}/docs/index.md",
                "Changes": f"{address}/blob/v{version}/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
