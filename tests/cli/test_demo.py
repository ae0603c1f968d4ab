"""The demo."""

from command_line import run


def test_the_demo(capsys, tmp_path):
    code, out, _ = run(capsys, "demo", "--validate", 2, "-o", tmp_path / "demo.html")
    assert code == 0
    assert out.startswith("Data: 569 breast tumours")
    assert "IForest marks 57 of 569 rows (10%) as outliers, in 2 groups." in out
    assert "malignant are" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert (tmp_path / "demo.html").stat().st_size > 5000
    code, out, err = run(capsys, "demo", "--quiet", "--no-validate", "--placebo", 1)
    assert out.startswith("IForest marks")
    assert err == ""
