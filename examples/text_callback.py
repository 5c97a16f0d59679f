"""BLEU of token ids and of written text, while a model learns to reverse sentences.

To run it: python examples/text_callback.py --examples 8000
"""

import argparse

import keras
import numpy as np

import memnets
from memnets import metrics

WORDS = ["<pad>", "<start>", *"a cat dog ran sat on the mat home fast".split()]
LENGTH = 5


def make_data(count, seed):
    """Ids: what the model reads `(count, 2 * LENGTH)`, what it writes `(count, 5)`."""
    source = np.random.default_rng(seed).integers(2, len(WORDS), (count, LENGTH))
    target = source[:, ::-1]
    before = np.insert(target[:, :-1], 0, 1, axis=1)  # the word before each, as input
    return np.concatenate([source, before], axis=1), target


def make_model():
    ids = keras.Input((2 * LENGTH,), dtype="int32")
    x = keras.layers.Embedding(len(WORDS), 16)(ids)
    x = memnets.NTM(32, memory_size=16, return_sequences=True)(x)
    model = keras.Model(ids, keras.layers.Dense(len(WORDS))(x[:, LENGTH:]))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(5e-3), loss, metrics=[metrics.TokenBLEU()])
    return model


def text(ids):
    return [" ".join(WORDS[i] for i in row) for row in ids]


def decode(model, inputs):
    """Writes greedily: the model reads each word at the next step."""
    ids = np.pad(inputs, [(0, 0), (0, 1)])
    for step in range(LENGTH):
        logits = model.predict_on_batch(ids[:, :-1])[:, step]
        ids[:, LENGTH + 1 + step] = logits.argmax(axis=-1)
    return text(ids[:, LENGTH + 1 :])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=8_000)
    data = make_data(parser.parse_args().examples, seed=1)
    source, target = make_data(60, seed=2)
    source[:, LENGTH + 1 :] = 0  # to decode, it gets the source only
    bleu, references = metrics.BLEU(tokenizer="none"), [[t] for t in text(target)]
    scoring = metrics.GenerationMetrics(decode, source, references, [bleu])
    stop = keras.callbacks.EarlyStopping("val_bleu", mode="max", patience=2)  # second
    make_model().fit(*data, epochs=8, callbacks=[scoring, stop], verbose=2)
    print(scoring.hypotheses[0], "|", references[0][0], "|", scoring.scores["bleu"])
