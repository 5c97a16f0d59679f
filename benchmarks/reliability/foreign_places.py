"""The places of `foreign_outputs.py`. Each function makes one in the folder of a case,
and returns its path."""

import shutil

# Names that our own work has too, beside others.
THEIRS = (
    *("config.json", "history.csv", "summary.json", "model.keras", "report.html"),
    *("watch.html", "index.html", "search.json", "thesis.txt", "vectors.txt"),
    *("figures/learning.png", "figures/paper.png", "checkpoints/000001.checkpoint"),
    *("checkpoints/best.weights.h5", "trials/0000/trial.json", "ntm-lstm-1/notes"),
    *(".memnets", ".lock"),
)
# The command that makes each kind of our own work.
MAKES = {
    **{"run": "train", "comparison": "compare", "search": "search"},
    **{"file of vectors": "train-vectors", "picture": "vectors"},
}


def empty(case, world):
    return case / "out"


def foreign_folder(case, world):
    for name in THEIRS:
        path = case / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("theirs")
    return case / "out"


def foreign_file(case, world):
    (case / "out").write_text("theirs")
    return case / "out"


def link_to_folder(case, world):
    foreign_folder(case, world).rename(case / "theirs")
    (case / "out").symlink_to(case / "theirs")
    return case / "out"


def link_to_file(case, world):
    (case / "theirs").write_text("theirs")
    (case / "out").symlink_to("theirs")
    return case / "out"


def links_inside(case, world):
    """A new folder whose inner folders are on another disk, with others' files."""
    (case / "out").mkdir()
    foreign_folder(case, world).rename(case / "disk")
    (case / "out").mkdir()
    for name in ("checkpoints", "figures"):
        (case / "out" / name).symlink_to(case / "disk" / name)
    return case / "out"


def read_only(case, world):
    place = foreign_folder(case, world)
    for path in (*place.rglob("*"), place):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return place


def an_input(case, world):
    return world.folder / "book"


def hard_link_of_an_input(case, world):
    (case / "out").hardlink_to(world.folder / "book")
    return case / "out"


def beside_foreign_files(case, world):
    """Where the neighbours that we would write are somebody's."""
    (case / "out.memnets").write_text("theirs")
    (case / "out.training").mkdir()
    (case / "out.training" / "notes").write_text("theirs")
    return case / "out"


def own_run_changed(case, world):
    """A run of our own in which somebody has changed a page and linked a picture."""
    place = own_work("run")(case, world)
    (case / "theirs").write_text("theirs")
    (place / "report.html").write_text("theirs")
    (place / "figures" / "learning.png").unlink()
    (place / "figures" / "learning.png").symlink_to(case / "theirs")
    return place


def own_work(kind):
    """A copy of our own work of a kind, with files of others in it."""

    def place(case, world):
        copied = world.own(kind)
        for path in (copied, copied.with_name(f"{copied.name}.memnets")):
            target = case / path.name.replace(kind, "out")
            if path.is_dir():
                shutil.copytree(path, target)
            elif path.exists():
                shutil.copy(path, target)
        if copied.is_dir():
            for name in ("thesis.txt", "figures/paper.png", "checkpoints/best.h5"):
                (case / "out" / name).parent.mkdir(exist_ok=True)
                (case / "out" / name).write_text("theirs")
        return case / "out"

    place.__name__ = f"own {kind}"
    return place


PLACES = (
    *(empty, foreign_folder, foreign_file, link_to_folder, link_to_file, links_inside),
    *(read_only, an_input, hard_link_of_an_input, beside_foreign_files),
    *(*map(own_work, MAKES), own_run_changed),
)
