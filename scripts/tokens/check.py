"""Compares our counts with those of OpenAI's own tokenizer on random texts.

    npm run build
    pip install -r scripts/tokens/requirements.txt
    python scripts/tokens/check.py [--texts 1000000] [--seed 1]
    python scripts/tokens/check.py --record     # writes the texts and counts that the tests use

The network is needed only for the vocabulary files, which cargo fetches (vocabularies.py).
"""

import argparse
import json
import pathlib
import struct
import subprocess
import time

import tiktoken
import tiktoken_ext.openai_public as reference

import vocabularies
from texts import Texts

ROOT = pathlib.Path(__file__).parents[2]
RECORDED = ROOT / "__test__" / "fixtures" / "token-counts.json"
RECORDED_TEXTS = 600
BATCH = 50_000


def encoding_of(name, tokens):
    """The reference's encoding, with its own pattern, and without the download."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    reference.load_tiktoken_bpe = lambda *_, **__: ranks
    return tiktoken.Encoding(**getattr(reference, f"{name}_base")())


def expected_counts(encoding, texts):
    return [len(tokens) for tokens in encoding.encode_ordinary_batch(texts, num_threads=2)]


def our_counts(name, texts):
    encoded = [text.encode() for text in texts]
    packed = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    script = pathlib.Path(__file__).parent / "count.mjs"
    output = subprocess.run(["node", script, name], input=packed, stdout=subprocess.PIPE, check=True).stdout
    return [int(line) for line in output.split()]


def check(name, tokens, count, seed):
    encoding, source = encoding_of(name, tokens), Texts(seed, tokens)
    start, different, size, total = time.time(), 0, 0, 0
    for done in range(0, count, BATCH):
        texts = [source.text() for _ in range(min(BATCH, count - done))]
        expected, ours = expected_counts(encoding, texts), our_counts(name, texts)
        size += sum(len(text.encode()) for text in texts)
        total += sum(expected)
        for text, theirs, found in zip(texts, expected, ours, strict=True):
            if theirs != found:
                different += 1
                if different <= 10:
                    print(f"{name}: {theirs} tokens, but we count {found}: {text!r}")
    print(f"{name}: {count} texts, {size} bytes, {total} tokens, {different} different ({time.time() - start:.0f} s)")
    return different


def record(vocabulary_tokens):
    """Texts of all kinds, each with its counts by both vocabularies."""
    source, texts = Texts(7, vocabulary_tokens["o200k"]), []
    while len(texts) < RECORDED_TEXTS:
        text = source.text()
        if len(text) < 200:
            texts.append(text)
    counts = [expected_counts(encoding_of(name, tokens), texts) for name, tokens in vocabulary_tokens.items()]
    rows = ",\n".join(json.dumps(row) for row in zip(texts, *counts))
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(f"[\n{rows}\n]\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    vocabulary_tokens = {name: vocabularies.tokens_of(name) for name in vocabularies.SHA256}
    if options.record:
        return record(vocabulary_tokens)
    different = [check(name, tokens, options.texts, options.seed) for name, tokens in vocabulary_tokens.items()]
    raise SystemExit(any(different))


if __name__ == "__main__":
    main()
