"""The way of a new user, as docs/quickstart.md tells it: its commands run, and find the rules that it shows."""

import re
import shlex

import numpy as np
import pytest
from command_line import ROOT, run

PAGE = (ROOT / "docs" / "quickstart.md").read_text("utf-8")
BLOCKS = re.findall(r"^(?:    .*\n)+", PAGE, re.MULTILINE)


def orders():
    """Make the file that the page speaks of: semicolons, decimal commas, euro signs and NA."""
    rng = np.random.default_rng(7)
    lines = ["order;customer age;amount;paid by;country;status"]
    for k in range(400):
        bad = k % 25 == 11
        large = bad or k % 30 == 4
        amount = 410 + 900 * rng.random() if large else rng.gamma(2.0, 40.0)
        age = "NA" if k % 40 == 2 else str(rng.integers(18, 80))
        paid = "card" if bad else "invoice" if large else rng.choice(["card", "invoice", "transfer"])
        money = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
        status = "ok" if not bad else "fraud" if k % 50 == 11 else "chargeback"
        lines.append(f"{10_000 + k};{age};{money} €;{paid};{rng.choice(['DE', 'AT', 'CH'])};{status}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "orders.csv").write_text(orders(), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_shows_the_file():
    [shown] = [block for block in BLOCKS if "order;customer age" in block]
    lines = [line.strip() for line in shown.splitlines()]
    assert lines == orders().splitlines()[: len(lines)]


def test_three_commands_lead_from_a_file_to_a_page(capsys, here):
    install, *commands = [line.strip() for line in BLOCKS[0].splitlines()]
    assert install.startswith("python -m pip install")
    assert len(commands) == 2
    for command in commands:
        name, *arguments = shlex.split(command)
        assert name == "pyod-explain"
        code, out, err = run(capsys, *arguments)
        assert code == 0, err
    assert (here / "report.html").stat().st_size > 10_000
    lines = [line.strip() for block in BLOCKS for line in block.splitlines()]
    rules = [line for line in lines if line.startswith("if ")]
    assert rules
    assert [line for line in rules if line not in out] == []
