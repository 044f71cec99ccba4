"""Counts prompts with OpenAI's own tokenizer: none may have more tokens than its budget.

    npm run build
    pip install -r scripts/tokens/requirements.txt
    RUNS_FACTOR=160 TOKEN_PROMPTS=/tmp/prompts.jsonl npx vitest run __test__/tokens/budget.properties.test.ts
    python scripts/tokens/check_prompts.py /tmp/prompts.jsonl
"""

import json
import sys
import time

import vocabularies
from check import encoding_of, expected_counts

BATCH = 20_000


def batches(path):
    batch = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            batch.append(json.loads(line))
            if len(batch) == BATCH:
                yield batch
                batch = []
    yield batch


def main(path):
    encodings = {name: encoding_of(name, vocabularies.tokens_of(name)) for name in vocabularies.SHA256}
    start, prompts, tokens, over = time.time(), 0, 0, 0
    for batch in batches(path):
        for name, encoding in encodings.items():
            of_name = [one for one in batch if one["tokenizer"] == name]
            counts = expected_counts(encoding, [one["prompt"] for one in of_name])
            flags = expected_counts(encoding, [one["systemFlag"] for one in of_name])
            for one, count, flag in zip(of_name, counts, flags, strict=True):
                prompts, tokens = prompts + 1, tokens + count + flag
                if count + flag > one["maxTokens"]:
                    over += 1
                    print(f"{count + flag} of {one['maxTokens']} tokens: {one['prompt'][:200]!r}")
    print(f"{prompts} prompts, {tokens} tokens, {over} over their budget ({time.time() - start:.0f} s)")
    raise SystemExit(over > 0)


if __name__ == "__main__":
    main(sys.argv[1])
