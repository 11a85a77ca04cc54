"""Which files a shell command writes, told from its text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.surfaces.hooks.shell import writes


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("echo x > a.py", ["a.py"]),
        ("echo x >> src/a.py; echo y >|b.py", ["src/a.py", "b.py"]),
        ("make 2> err.log 1>out.log", ["err.log", "out.log"]),
        ("make > all.log 2>&1", ["all.log"]),
        ("exec 3>&-; echo $X> a.py", ["a.py"]),
        ("make &> all.log && cat < in.txt", ["all.log"]),
        ("echo 'a > b' \"c > d\" \\> e", []),
        ("echo x # > not.py", []),
        ("echo a#b > c.py", ["c.py"]),
        ("cat > new.py <<'EOF'\nx > y\nrm gone.py\nEOF\necho z > after.py", ["new.py", "after.py"]),
        ("cat <<-END > tab.py\n\tbody > no\n\tEND\ntouch t.py", ["tab.py", "t.py"]),
        ("cat <<A <<B > two.py\none\nA\ntwo\nB\ntouch t.py", ["two.py", "t.py"]),
        ("sed -i 's/a/b/' x.py y.py", ["x.py", "y.py"]),
        ("sed -i.bak -e s/a/b/ x.py", ["x.py"]),
        ("sed -Ei 's/(a)/b/' x.py", ["x.py"]),
        ("sed --in-place=.orig 's/a/b/' x.py", ["x.py"]),
        ("sed -i --expression=s/a/b/ x.py", ["x.py"]),
        ("sed -n 's/a/b/p' x.py", []),
        ("echo x | tee a.txt -a b.txt | sudo tee /etc/hosts", ["a.txt", "b.txt", "/etc/hosts"]),
        ("mv a.py b.py", ["a.py", "b.py"]),
        ("mv a.py folder", ["a.py", "folder/a.py"]),
        ("cp -r a.py b.py folder/", ["folder/a.py", "folder/b.py"]),
        ("cp -t folder a.py", ["folder/a.py"]),
        ("rm -rf old.py && touch new.py", ["old.py", "new.py"]),
        ("cd src && echo x > a.py", ["src/a.py"]),
        ("(cd src && echo x > a.py); echo y > b.py", ["src/a.py", "b.py"]),
        ("X=1 env Y=2 tee a.py", ["a.py"]),
        ("bash -c 'echo x > inner.py'", ["inner.py"]),
        ("echo \"$(echo y > inner.py)\"", ["inner.py"]),
        ("if true; then echo x > a.py; fi", ["a.py"]),
        ("echo x > 'name with space.py'", ["name with space.py"]),
        ("echo \"it's\" > a.py; echo > '$b\\.py'", ["a.py", "$b\\.py"]),
        ("echo \"$(echo $(date) > inner.py)\" > b.py", ["inner.py", "b.py"]),
        ("echo x > /dev/null", []),
        ("git status; git diff -- a.py; ls -la; grep -r x .", []),
        ("python -c 'print(1 > 0)'", []),
        ("echo long \\\n > a.py", ["a.py"]),
    ],
)  # fmt: skip
def test_named_files(command: str, paths: list[str], tmp_path: Path) -> None:
    """Redirections, here-documents and the commands an agent edits with name what they wrote."""
    (tmp_path / "folder").mkdir()
    found = writes(command, str(tmp_path))
    assert found.paths == [str(tmp_path / path) for path in paths]
    assert not found.tree


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("git checkout main", []),
        ("git -C sub restore -- a.py", ["sub/a.py"]),
        ("git -c x=y switch other", []),
        ("git stash pop", []),
        ("git reset --hard", []),
        ("git apply fix.patch", []),
        ("patch -p1 < fix.patch", []),
        ("echo x > $FILE", []),
        ("make >& $LOG", []),
        ("sed -i s/a/b/ src/*.py", []),
        ("tee $(cat list)", []),
    ],
)
def test_files_that_only_the_shell_knows(command: str, paths: list[str], tmp_path: Path) -> None:
    """What git, globs and variables write is somewhere in the tree."""
    found = writes(command, str(tmp_path))
    assert found.tree
    assert found.paths == [str(tmp_path / path) for path in paths]


@pytest.mark.parametrize(
    "command",
    ["'", '"', "echo $(", "`", "<<", "<<EOF", "> ", "((((", ")", "sed -i", "mv", "\\", "git", "a=", "cd", "bash -c",
     "bash -c $X", "echo $(" * 2_000],
)
def test_broken_commands(command: str, tmp_path: Path) -> None:
    """A command line that no shell would take is no error here."""
    writes(command, str(tmp_path))


def test_a_very_long_command_is_not_read_to_its_end(tmp_path: Path) -> None:
    """Beyond the limit anything may have been written."""
    found = writes("echo x > a.py; " * 10_000, str(tmp_path))
    assert found.tree
    assert found.paths == [str(tmp_path / "a.py")]
