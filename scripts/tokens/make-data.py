"""Makes the files in src/tokens/data, which are committed so that builds need no network.

    pip install -r scripts/tokens/requirements.txt
    python scripts/tokens/make-data.py            # writes them
    python scripts/tokens/make-data.py --check    # compares what is in them

- `o200k.bin`, `cl100k.bin`: a vocabulary, compressed with deflate. Each token except single bytes
  consists of two others, whose ranks are stored: src/tokens/unpack.rs.
- `classes.bin`: the class of each character in the patterns of the reference:
  src/tokens/classes.rs.
"""

import pathlib
import sys
import zlib

import tiktoken

import vocabularies

DATA = pathlib.Path(__file__).parents[2] / "src" / "tokens" / "data"

BYTES = 256
CROSSED = 256 * 256 // 8


def halves(token, rank, ranks):
    """The two tokens of lower rank that the token is merged of."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        pairs = ((ranks.get(parts[at] + parts[at + 1], rank), at) for at in range(len(parts) - 1))
        found, at = min(pairs)
        if found >= rank:
            raise SystemExit(f"token {rank} is not made of two others")
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


def crossed_borders(token):
    """The borders between characters in a token that has a part of a character, as two bytes each."""
    try:
        token.decode()
        return []
    except UnicodeDecodeError:
        pairs = zip(token, token[1:])
        return [last << 8 | first for last, first in pairs if first & 0xC0 != 0x80]


def packed_vocabulary(tokens):
    """The single bytes by rank; the crossed borders, one bit for each two bytes; the pairs of the
    other tokens: all low bytes of the left half, and so on."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    if any(len(token) != 1 for token in tokens[:BYTES]) or any(len(token) < 2 for token in tokens[BYTES:]):
        raise SystemExit("the first 256 tokens are not those of one byte")
    pairs = [halves(token, rank, ranks) for rank, token in enumerate(tokens) if rank >= BYTES]
    crossed = bytearray(CROSSED)
    for token in tokens:
        for pair in crossed_borders(token):
            crossed[pair >> 3] |= 1 << (pair & 7)
    planes = [bytes(pair[half] >> shift & 0xFF for pair in pairs) for half in (0, 1) for shift in (0, 8, 16)]
    return b"".join(tokens[:BYTES]) + crossed + b"".join(planes)


def deflated(content):
    compressor = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS, memLevel=9)
    return compressor.compress(content) + compressor.flush()


def inflated(content):
    return zlib.decompress(content, wbits=-zlib.MAX_WBITS)


# The bits of the classes in src/tokens/classes.rs, by what the patterns call them. A later one
# wins; everything else is OTHER.
OTHER = 1
CLASSES = [
    (r"\p{Lu}", 2), (r"\p{Lt}", 2), (r"\p{Ll}", 4), (r"\p{Lm}", 8), (r"\p{Lo}", 8),
    (r"\p{M}", 16), (r"\p{N}", 32), (r"\s", 64), (r"[\r\n]", 128),
]

CODE_POINTS = 0x110000
BLOCK = 128


def members(pattern):
    """The characters that match, according to the reference: it drops what does not match."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("classes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    every = "".join(chr(point) for point in range(CODE_POINTS) if not 0xD800 <= point < 0xE000)
    return encoding.decode_bytes(encoding.encode_ordinary(every)).decode()


def packed_classes():
    """The number of each block of characters, then the different blocks."""
    classes = bytearray([OTHER]) * CODE_POINTS
    for pattern, bit in CLASSES:
        for character in members(pattern):
            classes[ord(character)] = bit
    blocks = {}
    index = [blocks.setdefault(bytes(classes[at : at + BLOCK]), len(blocks)) for at in range(0, CODE_POINTS, BLOCK)]
    return bytes(index) + b"".join(blocks)


def main():
    contents = {f"{name}.bin": packed_vocabulary(vocabularies.tokens_of(name)) for name in vocabularies.SHA256}
    classes = packed_classes()
    if "--check" in sys.argv:
        # Not the compressed bytes, which differ between versions of zlib.
        same = {name: inflated((DATA / name).read_bytes()) == content for name, content in contents.items()}
        same["classes.bin"] = (DATA / "classes.bin").read_bytes() == classes
        for name, is_same in same.items():
            print(name, "is the same" if is_same else "DIFFERS")
        sys.exit(not all(same.values()))
    for name, content in contents.items():
        (DATA / name).write_bytes(deflated(content))
    (DATA / "classes.bin").write_bytes(classes)


main()
