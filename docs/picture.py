"""`./x python docs/picture.py RUN`: write docs/report.png, the first screen of a run's report, for README and site.

Take a run of a quiet machine: `./x evaluate`, of which the grade is not D.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

WIDTH, HEIGHT = 1180, 770  # px: as wide as README is shown, and at most as high as the first screen
EDGE = 12  # px below the last row that is whole
LAST_ROW = """most => Math.max(...[...document.querySelectorAll('#reached li')]
  .map(row => row.getBoundingClientRect().bottom).filter(bottom => bottom <= most))"""


def main(run: str) -> None:
    """Open the page in Chromium as a person does, and keep what is seen."""
    from playwright.sync_api import sync_playwright

    page = Path(run).resolve() / "report.html"
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or not page.is_file():
        sys.exit(f"picture.py: needs Chromium, and {page}")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        shown = started.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        shown.goto(page.as_uri())
        height = shown.evaluate(LAST_ROW, HEIGHT - EDGE) + EDGE
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height}
        shown.screenshot(path=str(Path(__file__).with_name("report.png")), clip=clip)
        started.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
