import pytest
from mcp_client import connected


@pytest.fixture(scope="session")
def orders(tmp_path_factory):
    """A folder with a table of 300 orders: the first 12 cost a lot, and are frauds."""
    folder = tmp_path_factory.mktemp("orders")
    lines = [
        f"{900 + i if i < 12 else 40 + i % 37},{'ab'[i % 2]},{'fraud' if i < 12 else 'ok'},n{i}\n" for i in range(300)
    ]
    (folder / "orders.csv").write_text("amount,kind,status,name\n" + "".join(lines), encoding="utf-8")
    (folder / "sub").mkdir()
    return folder


@pytest.fixture(scope="session")
def call(orders):
    with connected("--write", str(orders)) as one:
        yield one
