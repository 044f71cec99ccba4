"""Random texts that are hard to count: everything that the patterns and the vocabularies treat
differently, side by side."""

import random
import unicodedata

WORDS = "the quick Brown FOX isn't we'LL they'Re I'm it'ſ don'T HTTPServer camelCase snake_case naïve Ünïcode ß ǅungla ŒUVRE".split()
CODE = ["fn main() {", "=> ", "!==", "\t\tif (x", "//", "///", "/*", "*/", "\\n", '"""', "&&", "0x1F", "i++;", "</div>", "${", "#![", "::<", "...", "____", "----", "===="]
CJK = "人工智能的发展中文测试。，、「」日本語のテキストです한국어텍스트繁體漢字𠮷"
EMOJI = ["👍", "👍🏽", "👨‍👩‍👧‍👦", "🇨🇳", "🏳️‍🌈", "❤️", "☃", "1️⃣", "🫠", "™"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\u00a0", "\u3000", "\u2028", "\u0085", "\u200b", "\ufeff", "\v", "\f", "\u1680", "\u205f"]
SPECIAL = ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|im_start|>", "<|", "|>"]
APOSTROPHES = ["'", "’", "'s", "'S", "'ll", "'LL", "'ve", "'re", "'d", "'ſ", "'x", "''"]
SCRIPTS = "Привет мир Ελληνικά עברית العربية हिन्दी ไทย বাংলা ქართული አማርኛ"

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _of_category(prefixes, most=4000):
    found = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000 and unicodedata.category(chr(point)).startswith(prefixes)]
    return random.Random(1).sample(found, min(most, len(found)))


MARKS, NUMBERS, CASED = _of_category("M"), _of_category("N"), _of_category(("Lu", "Lt", "Ll", "Lm"))


class Texts:
    """A source of texts. `tokens` are those of a vocabulary: joined at random, they are split in
    other ways than real text."""

    def __init__(self, seed, tokens):
        self.random = random.Random(seed)
        self.tokens = [token.decode(errors="ignore") for token in tokens]
        self.fragments = [
            lambda: self.pick(WORDS), lambda: " " + self.pick(WORDS), lambda: self.pick(CODE),
            lambda: "".join(self.pick(CJK) for _ in range(self.number(12))),
            lambda: self.pick(EMOJI), lambda: self.pick(SPACES), lambda: self.pick(SPACES) * self.number(6),
            lambda: self.pick(SPECIAL), lambda: self.pick(APOSTROPHES), lambda: self.pick(SCRIPTS),
            lambda: self.pick(MARKS), lambda: "e" + self.pick(MARKS) * self.number(3), lambda: self.pick(NUMBERS),
            lambda: str(self.random.randrange(10 ** self.number(12))), lambda: self.pick(CASED),
            lambda: chr(self.random.randrange(0x20)), lambda: self.character(),
            lambda: "".join(self.pick(LETTERS) for _ in range(self.number(20))),
            lambda: "".join(self.pick(LETTERS + LETTERS.upper()) for _ in range(self.number(20))),
            lambda: "".join(self.pick(self.tokens) for _ in range(self.number(6))),
            lambda: chr(self.random.randrange(0x20, 0x7F)),
        ]

    def pick(self, choices):
        return choices[int(self.random.random() * len(choices))]

    def number(self, most):
        return 1 + int(self.random.random() * most)

    def character(self):
        point = self.random.randrange(0x110000 if self.random.random() < 0.3 else 0x3000)
        return "\ufffd" if 0xD800 <= point < 0xE000 else chr(point)

    def fragment(self):
        return self.pick(self.fragments)()

    def text(self):
        kind = self.random.random()
        if kind < 0.01:
            # One long piece.
            return self.pick([*LETTERS, " ", "\n", "中", "=", "-", "👍", "ab", "aA", "\u0301", "\u00a0", self.pick(self.tokens)]) * self.number(600)
        if kind < 0.02:
            return "".join(self.pick(LETTERS) for _ in range(self.number(3000)))
        if kind < 0.3:
            # Few kinds of fragments, many times.
            few = [self.pick(self.fragments) for _ in range(self.number(3))]
            return "".join(self.pick(few)() for _ in range(self.number(12)))
        return "".join(self.fragment() for _ in range(self.number(10)))
