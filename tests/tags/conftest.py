"""Tables for the tests of makers."""

import pandas as pd
import pytest
from tag_tables import grouped, shop_table

from pyod_explain.groups import Groups
from pyod_explain.input import Table, as_table


@pytest.fixture
def shop() -> tuple[pd.DataFrame, Groups]:
    return shop_table()


@pytest.fixture
def small() -> tuple[Table, Groups]:
    return as_table(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=list("abc"))), grouped([0, 1, 1])
