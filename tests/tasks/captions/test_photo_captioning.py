"""Captions of pictures from files: batches, training, commands, bad input."""

import csv
import json
import re

import keras
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import memnets
import tasks
from tasks.captions.describer import Describer
from tasks.captions.files.picture_sources import FeatureFile, PictureFolder
from tasks.captions.report import floors, sections
from tasks.cli.main import main
from tasks.evaluation import evaluate, headline_of
from tasks.registry import get_model
from tasks.report.page import write_page
from tasks.report.run_figures import draw_sizes
from tasks.report.sections import sizes_in_words
from tasks.runs.output_folder import OutputFolder
from tasks.text.tokens import START

COLORS = {"red": (200, 30, 30), "green": (30, 180, 40), "blue": (40, 50, 210)}
SIZE = 32
NUM_PICTURES = 24
SMALL = {"units": 16, "embedding_size": 12, "channels": 8}
TRAIN = (
    "--units 32 --embedding-size 12 --channels 8 --batch-size 16 --epoch-steps 50 "
    "--warmup 0 --learning-rate 1e-2 --sequences 3200"
)


@pytest.fixture
def folder(tmp_path):
    """`captions.csv`, and the pictures that it names, of one color each."""
    (tmp_path / "pictures").mkdir()
    rng = np.random.default_rng(1)
    rows = [("image", "caption")]
    for number in range(NUM_PICTURES):
        color = list(COLORS)[number % len(COLORS)]
        name = f"{number:02}.png"
        noisy = rng.normal(COLORS[color], 10, (SIZE, SIZE, 3)).clip(0, 255)
        Image.fromarray(noisy.astype(np.uint8)).save(tmp_path / "pictures" / name)
        rows += [(name, f"A {color} wall."), (name, f"The wall, it is {color}.")]
    with open(tmp_path / "captions.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return tmp_path


def made(folder, **parameters):
    places = {"data": folder / "captions.csv", "images": folder / "pictures"}
    values = {"picture_size": SIZE, "beam_size": 1, **places, **parameters}
    return tasks.get_task("photo-captioning", **values)


def features_in(folder, cells):
    """A file of features: the mean colors of each picture, of one or of four cells."""
    rows = []
    for number in range(NUM_PICTURES):
        with Image.open(folder / "pictures" / f"{number:02}.png") as image:
            rows.append(np.asarray(image.resize((cells, cells))).reshape(-1, 3) / 255)
    features = np.array(rows, np.float64)
    np.save(folder / "features.npy", features[:, 0] if cells == 1 else features)
    return folder / "features.npy"


def of_features(folder, cells):
    path = features_in(folder, cells)
    return made(folder, images="", image_features=path)


def invoke(*words):
    return CliRunner().invoke(main, [word for part in words for word in part.split()])


def color_of(number):
    return list(COLORS)[number % len(COLORS)]


# --- data ---


def test_a_pass_has_every_caption_with_its_picture(folder):
    task = made(folder)
    pairs = {(one.name, text) for one in task.pictures for text in one.captions}
    assert len(pairs) == 2 * (NUM_PICTURES - 4)
    count, names = len(pairs) // 8, []
    for index in range(count):
        batch = task.stream.batch(index, 8, seed=1)
        assert batch.inputs["picture"].shape == (8, SIZE, SIZE, 3)
        assert batch.inputs["caption"].shape == (8, task.width)
        assert (batch.inputs["caption"][:, 0] == START).all()
        for row, picture in enumerate(batch.inputs["picture"]):
            text = task.target_vocabulary.decode(batch.targets[row])
            mean = picture.mean(axis=(0, 1))
            distance = {c: abs(mean - COLORS[c]).sum() for c in COLORS}
            names.append((min(distance, key=distance.get), text))
    assert len(names) == len(pairs)
    assert all(color in text.split() for color, text in names)
    again, other = (made(folder).stream.batch(3, 8, seed) for seed in (1, 2))
    np.testing.assert_equal(again, task.stream.batch(3, 8, 1))
    assert not np.array_equal(other.inputs["picture"], again.inputs["picture"])


def test_words_are_those_of_scores_and_pieces_keep_the_text(folder):
    task = made(folder)
    assert task.target_vocabulary.size == 4 + len({"a", "the", "wall", "it", "is"}) + 3
    tokens = task.target_vocabulary.encode("The RED wall!")
    assert task.target_vocabulary.decode(tokens) == "the red wall"
    task = made(folder, unit="piece", vocabulary_size=4_000)
    [note] = task.presentation.notes
    assert note.startswith(f"The text allows {task.output_size} tokens, not 4,000")
    task = made(folder, unit="piece", vocabulary_size=300)
    assert task.presentation.notes == ()
    tokens = task.target_vocabulary.encode("The red wall.")
    assert task.target_vocabulary.decode(tokens) == "The red wall."


def test_each_split_has_passes_over_its_own_captions(folder):
    np.save(folder / "numbers.npy", np.arange(float(NUM_PICTURES))[:, None])
    task = made(folder, images="", image_features=folder / "numbers.npy")
    for split in ("train", "validation"):
        view = task.on(split)
        batch = view.stream.batch(0, 4, seed=1)
        numbers = {int(one.name.removesuffix(".png")) for one in view.pictures}
        assert set(batch.inputs["picture"].ravel().astype(int)) <= numbers


def test_a_split_whose_captions_are_all_longer_than_the_training_is_drawn_cut(folder):
    """A report draws such a caption after the training."""
    (folder / "val.txt").write_text("10.png\n11.png\n")
    (folder / "train.txt").write_text("".join(f"{n:02}.png\n" for n in range(10)))
    (folder / "test.txt").write_text("12.png\n")
    lines = (folder / "captions.csv").read_text().splitlines()
    lines = [line + " and red" * (line[:2] in ("10", "11")) for line in lines]
    lines = [line.replace('"', "").replace(", it is", " is") for line in lines]
    (folder / "captions.csv").write_text("\n".join(lines))
    task = made(folder)
    batch = task.evaluation.eval_tasks[-1].sample(4, 1)
    assert batch.targets.shape == (4, task.width) and batch.mask.all()
    drawn = task.presentation.render(
        batch, np.eye(task.output_size)[batch.targets]
    ).splitlines()
    assert drawn[0] == "picture 0" and len(drawn) == 4 * 4 - 1
    words = drawn[1].removeprefix("  target  ")
    assert len(words.split()) == task.width - 1
    assert drawn[2] == f"  output  {words}"


@pytest.mark.parametrize("cells", [1, 2])
def test_features_take_the_place_of_pictures(folder, cells):
    task = of_features(folder, cells)
    assert task.picture_shape == (cells * cells, 3)
    batch = task.sample(3, 1)
    assert batch.inputs["picture"].dtype == np.float32
    rows = np.load(folder / "features.npy").reshape(NUM_PICTURES, -1)
    for row in batch.inputs["picture"].reshape(3, -1):
        assert np.isclose(rows, row).all(axis=1).any()
    source = FeatureFile(str(folder / "features.npy"))
    for one in task.on("test").pictures:
        number = int(one.name.removesuffix(".png"))
        assert np.allclose(source.read(one).ravel(), rows[number])


def test_a_task_from_a_run_needs_no_files(folder):
    task = made(folder)
    kept = json.loads(json.dumps(task.parameters))
    again = tasks.get_task("photo-captioning", **{**kept, "data": "gone"})
    assert again.width == task.width
    assert again.target_vocabulary.encode("a red wall") != [1, 1, 1]
    (folder / "captions.csv").write_text("image,caption\n00.png,Another\n")
    with pytest.raises(ValueError, match="`data` must be the captions of the run"):
        tasks.get_task("photo-captioning", **kept).sample(1, 1)


def test_pictures_may_lie_in_folders_of_the_folder(folder):
    (folder / "pictures" / "inner").mkdir()
    (folder / "pictures" / "00.png").rename(folder / "pictures" / "inner" / "00.png")
    assert made(folder).left_out == ()


def test_pictures_are_found_whose_names_another_system_wrote(folder):
    pictures = folder / "pictures"
    (pictures / "00.png").rename(pictures / "00.PNG")
    (pictures / "01.png").rename(pictures / "u\u0308.png")
    table = (folder / "captions.csv").read_text().replace("01.png", "\u00fc.png")
    (folder / "captions.csv").write_text(table, encoding="utf-8")
    assert made(folder).left_out == ()


def test_one_file_is_not_two_pictures(folder):
    with open(folder / "captions.csv", "a") as file:
        file.write("03.PNG,Another one\n")  # in another split, it would be a leak
    with pytest.raises(ValueError, match="only .*03.png for 03.png and 03.PNG"):
        made(folder)


def test_pictures_are_turned_as_their_camera_says(folder):
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:4] = 255
    exif = Image.Exif()
    exif[0x0112] = 6  # the first row is the right side
    Image.fromarray(pixels).save(folder / "turned.png", exif=exif)
    source = PictureFolder(str(folder), 8)
    turned = source.read(type("Listed", (), {"name": "turned.png"}))
    assert np.array_equal(turned, pixels.transpose(1, 0, 2)[:, ::-1])


# --- what is left out ---


@pytest.mark.once
def test_what_is_left_out_is_counted_on_standard_error(folder):
    lines = (folder / "captions.csv").read_text().splitlines()
    lines += [
        "99.png,A missing picture",
        "00.png,",
        f"01.png,{'a ' * 30}",
        "02.png,...",
    ]
    (folder / "captions.csv").write_text("\n".join(lines))
    whole = (folder / "pictures" / "03.png").read_bytes()
    (folder / "pictures" / "03.png").write_bytes(whole[: len(whole) // 2])
    (folder / "train.txt").write_text("".join(f"{n:02}\n" for n in range(10)) + "99\n")
    (folder / "val.txt").write_text("10.png\n")
    (folder / "test.txt").write_text("11.png\n")
    task = made(folder)
    assert task.left_out == ("03.png", "99.png")
    assert len(task.pictures) == 9
    pictures, unused, blank, unfit = task.presentation.notes
    assert pictures == (
        "2 of 25 pictures cannot be read and are left out: 03.png (image file is "
        "truncated), 99.png (No such file or directory)."
    )
    assert unused.startswith(f"{25 - 13} of 25 pictures are in no split or have no")
    assert blank == "1 of 52 captions are blank and left out."
    assert unfit.startswith("2 of 20 captions to train on have no word or more than 25")
    result = invoke(
        f"train photo-captioning --data {folder} --images {folder}/pictures --out "
        f"{folder} --picture-size 32 --beam-size 1 --model cnn-gru"
    )  # ends, as the directory has other files
    *notes, error = result.stderr.splitlines()
    assert tuple(notes) == task.presentation.notes and error.startswith(
        "Error: `--out` must be"
    )


# --- training, scores, commands ---


@pytest.mark.once
def test_a_network_learns_to_name_colors_and_its_run_is_used(folder):
    run, pictures = folder / "run", folder / "pictures"
    arguments = f"--data {folder} --images {pictures} --picture-size 32 --beam-size 1"
    result = invoke(
        f"train photo-captioning {arguments} --model cnn-gru-attention --out {run} "
        f"{TRAIN}"
    )
    assert result.exit_code == 0, result.output
    assert (run / "report.html").exists()
    assert {"val_meteor", "val_cider-d"} <= set(
        tasks.open_run(run).read_history().final
    )
    evaluated = json.loads(invoke(f"evaluate {run} --split test --json").stdout)
    [scores] = evaluated["evaluation"]
    assert scores["sequences"] == 2
    # Of a caption with three words there is no BLEU of four.
    assert scores["values"]["meteor"] == pytest.approx(1)
    assert "tok:ptb" in scores["signatures"]["bleu"]
    refused = invoke(f"evaluate {run} --split test --images {folder}/gone")
    assert refused.exit_code == 2 and "`--images` must be a folder" in refused.stderr
    # The run needs no captions.
    (folder / "captions.csv").unlink()
    numbers = range(NUM_PICTURES)
    files = " ".join(f"{pictures}/{number:02}.png" for number in numbers)
    lines = invoke(f"caption {run} {files}").stdout.splitlines()
    for number, line in zip(numbers, lines, strict=True):
        assert color_of(number) in line.split(": ")[1].split()


@pytest.mark.once
def test_a_run_of_features_describes_features(folder):
    path, run = features_in(folder, 1), folder / "run"
    result = invoke(
        f"train photo-captioning --data {folder}/captions.csv --image-features {path} "
        f"--beam-size 1 --model cnn-gru --out {run} {TRAIN}"
    )
    assert result.exit_code == 0, result.output
    lines = invoke(f"caption {run} {path}").stdout.splitlines()
    assert len(lines) == NUM_PICTURES
    for number, line in enumerate(lines):
        name, text = line.split(": ")
        assert name == f"{path}[{number}]" and color_of(number) in text.split()
    refused = invoke(f"caption {run} {folder}/pictures/00.png")
    assert refused.exit_code == 2 and "must be an .npy file" in refused.stderr
    np.save(folder / "other.npy", np.zeros((2, 5)))
    refused = invoke(f"caption {run} {folder}/other.npy")
    assert "`other.npy`" not in refused.stderr
    assert "features of the shape (1, 3)" in refused.stderr


@pytest.mark.once
def test_a_report_shows_pictures_or_features_beside_floors(folder):
    for task in (made(folder), of_features(folder, 2)):
        model = get_model("cnn-gru-attention", task, **SMALL).build(task)
        shown = {one.name: one for one in sections(task, model)}
        assert (shown["pictures-validation"].figure is None) == (
            len(task.picture_shape) == 2
        )
        headings, *rows = shown["floors"].table
        assert headings == ["captions", "CIDEr-D", "BLEU", "METEOR", "ROUGE-L"]
        assert len(rows) == 3


def test_floors_are_those_that_there_are(folder):
    lines = (folder / "captions.csv").read_text().splitlines()
    (folder / "captions.csv").write_text("\n".join(lines[:1] + lines[1::2]))
    assert list(floors(made(folder).on("validation"))) == [
        "a caption of another picture",
        "one caption for all",
    ]


def test_pictures_of_validation_stand_beside_a_reference(folder):
    task = made(folder)
    model = get_model("cnn-gru", task, **SMALL).build(task)
    shown = {one.name: one for one in sections(task, model)}
    drawn = task.on("validation").eval_pictures(4, np.random.default_rng(0))
    labels = [axes.get_xlabel() for axes in shown["pictures-validation"].figure.axes]
    assert len(labels) == len(drawn) == 2
    for label, one in zip(labels, drawn, strict=True):
        assert label.endswith(f"reference:\n{one.captions[0]}")
    assert "a reference below" in shown["pictures-validation"].text


def test_a_single_picture_has_no_score_that_is_always_zero(folder):
    lines = (folder / "captions.csv").read_text().splitlines()
    (folder / "captions.csv").write_text("\n".join(lines[:25]))
    task = made(folder, max_length=20).on("test")
    [one] = task.eval_pictures(9, np.random.default_rng(0))
    scores = task.score_captions([one], [one.captions[0]])  # a warning is an error
    assert list(scores.values) == ["bleu", "meteor", "rouge-l", "length_ratio"]
    assert scores.values["meteor"] == pytest.approx(1)
    # Resampling one picture gives the same one: that is no interval.
    assert scores.intervals == {} and len(scores.signatures) == 3
    wrong = task.score_captions([one], ["zebra"])
    assert list(wrong.values) == list(scores.values) and wrong.values["meteor"] == 0
    assert task.validation_values([one], ["nothing of it"])["val_cider-d"] == 0
    model = get_model("cnn-gru", task, **SMALL).build(task)
    results = evaluate(model, task)
    assert headline_of(task, results) == "meteor"
    assert sizes_in_words(task, results).startswith("Mean over the sequences, METEOR")
    (axes,) = draw_sizes(task, results).axes
    assert axes.get_ylabel() == "METEOR"
    output = OutputFolder(folder / "run", "run")
    shown = sections(task, model)
    page = write_page(output, "page.html", title="", summary="", sections=shown)
    page = page.read_text()
    assert "Beside the scores" not in page and "Pictures of test" in page


def test_ten_pictures_have_intervals_and_nine_have_not(folder):
    task = made(folder)
    drawn = task.eval_pictures(10, np.random.default_rng(0))
    texts = [one.captions[0] for one in drawn]
    names = {"bleu", "meteor", "rouge-l", "cider-d"}
    assert set(task.score_captions(drawn, texts).intervals) == names
    nine = task.score_captions(drawn[:9], texts[:9])
    assert nine.intervals == {} and names < set(nine.values)


def test_people_are_scored_by_the_captions_of_others(folder):
    task = made(folder).on("validation")
    drawn = task.eval_pictures(9, np.random.default_rng(0))
    left, captions = task.other_captions(drawn, np.random.default_rng(0))
    assert captions == [one.captions[0] for one in drawn]
    assert [one.captions for one in left] == [one.captions[1:] for one in drawn]


@pytest.mark.once
def test_an_encoder_of_keras_is_kept_and_saved(folder):
    make, weights = keras.applications.MobileNet, folder / "mobile.weights.h5"
    drawn = make(include_top=False, weights=None, input_shape=(None, None, 3))
    drawn.save_weights(weights)
    task = made(folder)
    options = {"encoder": "MobileNet", "encoder_weights": str(weights), **SMALL}
    config = get_model("cnn-gru", task, **options)
    assert config.signature.endswith("|encoder:MobileNet,kept")
    model = config.build(task)
    encoder = model.get_layer("network").encoder
    assert not encoder.trainable_weights
    # Kept: it is in training as it is in inference.
    pictures = np.random.default_rng(1).integers(0, 256, (2, SIZE, SIZE, 3))
    outputs = np.asarray(encoder(pictures))
    assert np.array_equal(encoder(pictures, training=True), outputs)
    expected = drawn(keras.applications.mobilenet.preprocess_input(pictures * 1.0))
    assert np.allclose(outputs, expected, atol=1e-5)
    # A saved network has its weights.
    memnets.save(model, folder / "model.keras")
    weights.unlink()
    loaded = memnets.load(folder / "model.keras")
    assert not loaded.get_layer("network").encoder.trainable_weights
    photos = task.on("test").eval_pictures(2, np.random.default_rng(0))
    first, second = (Describer(m, task, beam_size=1) for m in (model, loaded))
    assert first.best_of(photos) == second.best_of(photos)


# --- bad input ---


def damage_all(folder):
    for path in (folder / "pictures").iterdir():
        path.write_bytes(b"no picture")


def remove_all(folder):
    for path in (folder / "pictures").iterdir():
        path.unlink()


def with_features(change):
    def apply(folder):
        path = features_in(folder, 1)
        np.save(path, change(np.load(path)))

    return apply


def set_nan(features):
    features[5, 1] = np.nan
    return features


def with_lists(**names):
    def apply(folder):
        for split, listed in names.items():
            (folder / f"{split}.txt").write_text(listed)

    return apply


IMAGES = "--images {0}/pictures"
FEATURES = "--image-features {0}/features.npy"
WEIGHTS = f"{IMAGES} --encoder MobileNetV2 --encoder-weights x"
BAD_FILES = {
    "all damaged": (damage_all, IMAGES, "whose pictures none can be read: 00.png \\("),
    "none there": (remove_all, IMAGES, "none can be read: .*No such file"),
    "other length": (
        with_features(lambda f: f[:-1]),
        FEATURES,
        f"Received: {NUM_PICTURES - 1} rows and {NUM_PICTURES} pictures",
    ),
    "not finite": (with_features(set_nan), FEATURES, "finite.* Received: .*in row 5 "),
    "too large": (with_features(lambda f: f * 1e300), FEATURES, "finite numbers"),
    "one number": (with_features(lambda f: f[:, 0]), FEATURES, "the shape .*n, d"),
    "objects": (with_features(lambda f: f.astype("O")), FEATURES, "be an .npy file: "),
    "letters": (with_features(lambda f: f.astype("U")), FEATURES, "file of numbers"),
    "no validation": (
        with_lists(train="00\n01\n", test="02\n"),
        IMAGES,
        "have pictures of the split validation. Received: none",
    ),
    "test is training": (
        with_lists(train="00\n01\n", val="02\n", test="01\n"),
        IMAGES,
        "each picture in one split. Received: 01 in",
    ),
    "encoder of features": (
        with_features(lambda f: f),
        f"{FEATURES} --encoder MobileNetV2",
        "`--encoder` must be left out for features",
    ),
}
BAD_OPTIONS = {
    "": "`images`, .*must be given.* Received: neither",
    f"{IMAGES} {FEATURES}": "must be given.* Received: both",
    "--images {0}/gone": "`--images` must be a folder",
    "--image-features {0}/captions.csv": "must be an .npy file: ",
    f"{IMAGES} --beam-size 500": "`--beam-size` must be .* at most",
    f"{IMAGES} --unit letter": "`--unit` must be one of",
    f"{IMAGES} --picture-size 0": "`--picture-size` must be a positive",
    f"{IMAGES} --max-length 1": "`--max-length` must be such that",
    f"{IMAGES} --encoder-weights x": "`--encoder` must be given with",
    f"{IMAGES} --encoder GRU": "`application` must be a network",
    f"{IMAGES} --model cnn-gru-attention --picture-size 16": "must have several cells",
    WEIGHTS: "`weights` must be a file of weights of MobileNetV2",
}


def refusal(folder, options):
    """What a training says that ends before anything is written."""
    words = f"train photo-captioning --model cnn-gru --sequences 8 --out {folder}/run "
    result = invoke(words + options.format(folder))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert not (folder / "run").exists()
    [line] = result.stderr.splitlines()
    return line


@pytest.mark.once
@pytest.mark.parametrize(
    ("change", "options", "message"), BAD_FILES.values(), ids=BAD_FILES
)
def test_bad_files_are_refused_in_one_line(folder, change, options, message):
    change(folder)
    assert re.search(message, refusal(folder, f"--data {{0}} {options}"))


@pytest.mark.once
@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.items())
def test_bad_options_are_refused_in_one_line(folder, options, message):
    assert re.search(message, refusal(folder, f"--data {{0}} {options}"))


@pytest.mark.once
def test_pictures_without_captions_are_refused_in_one_line(folder):
    assert "`--data` must be a file of captions: a table" in refusal(folder, IMAGES)
