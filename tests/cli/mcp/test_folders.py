"""Files inside the folders are read and made; nothing else is, however it is spelled or linked."""

import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.cli.mcp import Folders
from pyod_explain.exceptions import FileError

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
HIDDEN = "nobody may read this"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A folder with files that may be read; beside it, and at the end of links, some that may not."""
    root = tmp_path_factory.mktemp("tree")
    (root / "in" / "deep").mkdir(parents=True)
    (root / "in-not").mkdir()
    for name in ("secret.csv", "a.csv", "in-not/a.csv", "in-not/secret.csv"):
        (root / name).write_text(HIDDEN, encoding="utf-8")
    for name in ("in/a.csv", "in/deep/a.csv"):
        (root / name).write_text("open", encoding="utf-8")
    if os.name != "nt":
        links = {"up": "..", "out": root / "in-not", "deep/secret.csv": root / "secret.csv"}
        for name, target in (links | {"link.csv": "../secret.csv", "gone.csv": "../not-there.csv"}).items():
            (root / "in" / name).symlink_to(target)
    return root


def read(folders, path):
    return folders.read(folders.find(path), 100).decode()


@pytest.mark.parametrize(
    "path", ["a.csv", "./a.csv", "deep/../a.csv", "{in}/a.csv", "{in}/deep/../a.csv", "../in/a.csv"]
)
def test_a_file_inside_is_read_however_it_is_spelled(tree, path):
    assert read(Folders([str(tree / "in")]), path.replace("{in}", str(tree / "in"))) == "open"


# "in-not" begins like the name of the folder.
@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv", "{root}/secret.csv", "{root}/in-not/a.csv", "/etc/passwd", "//server/share/a.csv",
        *(pytest.param(path, marks=needs_links) for path in ("up/secret.csv", "out/secret.csv")),
    ],
)  # fmt: skip
def test_a_file_outside_is_refused_whether_it_is_there_or_not(tree, path):
    folders = Folders([str(tree / "in")])
    for given_path in (path, path + "-not-there"):
        with pytest.raises(FileError, match="outside"):
            folders.find(given_path.replace("{root}", str(tree)))


@needs_links
@pytest.mark.parametrize("path", ["link.csv", "gone.csv", "deep/secret.csv"])
def test_links_to_files_outside_are_not_followed(tree, path):
    with pytest.raises(FileError, match="outside"):
        Folders([str(tree / "in")]).find(path)


def test_a_name_in_two_folders_is_asked_back(tree):
    folders = Folders([str(tree / "in"), str(tree / "in-not")])
    with pytest.raises(FileError):
        folders.find("a.csv")
    assert read(folders, str(tree / "in-not" / "a.csv")) == HIDDEN
    assert read(folders, "deep/a.csv") == "open"


def test_a_folder_that_is_not_there_is_refused_at_once(tree):
    with pytest.raises(FileError):
        Folders([str(tree / "in" / "a.csv")])


@needs_links
def test_links_that_stay_inside_are_followed_and_rings_are_not(tree, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.csv").write_text("a", encoding="utf-8")
    (tmp_path / "real" / "b.csv").symlink_to("a.csv")
    (tmp_path / "real" / "ring").symlink_to("ring")
    (tmp_path / "alias").symlink_to("real")
    folders = Folders([str(tmp_path / "alias")])
    assert read(folders, "b.csv") == "a"
    assert read(folders, str(tmp_path / "alias" / "a.csv")) == read(folders, str(tmp_path / "real" / "a.csv")) == "a"
    with pytest.raises(FileError):
        read(folders, "ring")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileError):
        read(Folders([str(tmp_path)]), "pipe.csv")


def test_a_new_file_is_made_and_nothing_is_overwritten(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "old.md").write_text("old", encoding="utf-8")
    folders = Folders([str(tmp_path)])
    folders.create(folders.find_new("deep/new.md"), b"new")
    assert (tmp_path / "deep" / "new.md").read_text(encoding="utf-8") == "new"
    for path in ("old.md", "../x.md", "no/x.md", "."):
        with pytest.raises(FileError):
            folders.find_new(path)
    assert (tmp_path / "old.md").read_text(encoding="utf-8") == "old"


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path):
    folders = Folders([str(tmp_path)])
    place = folders.find_new("x.md")
    (tmp_path / "x.md").write_text("mine", encoding="utf-8")
    with pytest.raises(FileError):
        folders.create(place, b"ours")
    assert (tmp_path / "x.md").read_text(encoding="utf-8") == "mine"


@needs_links
def test_a_new_file_is_not_written_through_a_link(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.md").symlink_to(tmp_path / "target.md")  # which is not there
    (tmp_path / "in" / "out").symlink_to(tmp_path)
    folders = Folders([str(tmp_path / "in")])
    for path in ("x.md", "out/y.md"):
        with pytest.raises(FileError):
            folders.find_new(path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in"]


@needs_links
def test_files_are_listed_without_links_and_hidden_ones(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.csv", "a.csv", ".hidden", "deep/c.csv", ".git/config"):
        (tmp_path / name).write_text("12345", encoding="utf-8")
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    lines, more = Folders([str(tmp_path)]).files()
    listed = [line.removeprefix(f"{tmp_path}/") for line in lines]
    assert listed == ["a.csv  5 bytes", "b.csv  5 bytes", "deep/c.csv  5 bytes"]
    assert not more
    monkeypatch.setattr("pyod_explain.cli.mcp.MAX_LISTED", 2)
    lines, more = Folders([str(tmp_path)]).files()
    assert (len(lines), more) == (2, True)


PARTS = st.sampled_from(
    ["..", ".", "", "in", "deep", "a.csv", "up", "out", "secret.csv", "in-not", "\\..", "..\\", "....", "%2e%2e", "~"]
) | st.text(st.characters(codec="utf-8") | st.sampled_from(string.punctuation + "\0\n\x1b\u202e"), max_size=5)
PATHS = st.tuples(
    st.sampled_from(["", "/", "//", "{root}/", "{in}/", "\\\\", "C:", "file://", "{in}"]), st.lists(PARTS)
)


@given(PATHS)
def test_no_path_leads_outside(tree, path):
    """Whatever is asked for: the content of a file inside, or a refusal that is a printable sentence."""
    start, parts = path
    spelled = (start + "/".join(parts)).replace("{root}", str(tree)).replace("{in}", str(tree / "in"))
    folders = Folders([str(tree / "in")])
    before = sorted(tree.rglob("*"))
    try:
        assert read(folders, spelled) == "open"
    except FileError as error:
        assert str(error).replace("\nHint:", "").isprintable()
    try:
        place = folders.find_new(spelled)
    except FileError as error:
        assert str(error).replace("\nHint:", "").isprintable()
    else:
        assert Path(os.path.realpath(place)).is_relative_to(os.path.realpath(tree / "in"))
    assert sorted(tree.rglob("*")) == before
