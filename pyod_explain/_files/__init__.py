"""Files that are there whole or, if anything stops us, as they were before: several of them together.

Every text is first written to a temporary file beside its target, then all of them are renamed. A link stays a link,
and what it points to is replaced; permissions stay; a pipe, a device or a socket is written to and never replaced. A
temporary file is left behind only if the process is killed without a word to it (SIGKILL, loss of power).

Three things are other than with a plain `open`: the folder must be writable, since a file is put into it; a file that
is mounted by itself, as some containers do, is refused by the system ("busy"), since it cannot be replaced: mount its
folder; and of a file that has several names (hard links) only the one given is replaced, the others keep the old
content.

`target` tells what a path stands for and whether it can be written, `staged` writes several together, `writing` is how
one of them is written, and `signals` keeps interrupts from leaving half of it.
"""

from pyod_explain._files.signals import HELD
from pyod_explain._files.staged import (
    Content,
    Staged,
    staged,
    write_file,
)
from pyod_explain._files.target import (
    Target,
    find_twins,
    is_stdout,
    same_file,
    target_of,
)
from pyod_explain._files.temporary import PREFIX
from pyod_explain._files.writing import Writer

__all__ = [
    "HELD",
    "PREFIX",
    "Content",
    "Staged",
    "Target",
    "Writer",
    "find_twins",
    "is_stdout",
    "same_file",
    "staged",
    "target_of",
    "write_file",
]
