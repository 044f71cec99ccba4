"""The vocabulary files of the reference, from a package of the registry.

The crate `tiktoken-rs` carries them as OpenAI publishes them. The checksums are those that the
reference itself demands, so it does not matter who carries the files.
"""

import base64
import hashlib
import pathlib
import subprocess
import tempfile

CRATE, VERSION = "tiktoken-rs", "0.12.1"

SHA256 = {
    "o200k": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


def tokens_of(name):
    """The tokens of a vocabulary in the order of their ranks, from a file that was checked."""
    content = _files()[name]
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256[name]:
        raise SystemExit(f"{name}: the checksum is {found}, not {SHA256[name]}")
    tokens = []
    for rank, line in enumerate(content.splitlines()):
        token, number = line.split()
        if int(number) != rank:
            raise SystemExit(f"{name}: rank {rank} is missing")
        tokens.append(base64.b64decode(token))
    return tokens


_cached = {}


def _files():
    if not _cached:
        with tempfile.TemporaryDirectory() as folder:
            assets = _fetch(pathlib.Path(folder))
            _cached.update({name: (assets / f"{name}_base.tiktoken").read_bytes() for name in SHA256})
    return _cached


def _fetch(folder):
    """Makes cargo fetch the crate, in a temporary project."""
    manifest = f'[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{CRATE} = "={VERSION}"\n'
    (folder / "Cargo.toml").write_text(manifest)
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").touch()
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "vendor" / CRATE / "assets"
