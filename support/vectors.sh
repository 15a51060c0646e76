#!/bin/sh
# vectors.sh: fetches published test vectors of digests (NIST's CAVP, RFC 1321,
# BLAKE2, SM3) into .build/vectors, once. They come from a package of PyPI. Without pip
# or a network the test that reads them is skipped, and says so.
set -eu

package=cryptography-vectors
version=50.0.2
vectors=.build/vectors

[ ! -f "$vectors/hashes/oscca.txt" ] || exit 0
if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "vectors: pip is not installed; skipped the published test vectors" >&2
    exit 0
fi

mkdir -p "$vectors/new"
trap 'rm -rf "$vectors/new"' EXIT
if ! timeout 300 python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: --dest "$vectors/new" "$package==$version" >/dev/null 2>&1; then
    echo "vectors: cannot download $package $version; skipped the published test vectors" >&2
    exit 0
fi

python3 - "$vectors/new" <<'END'
import glob, os, sys, zipfile

place = sys.argv[1]
wanted = [f"SHA2/SHA{n}{kind}Msg.rsp" for n in (224, 256, 384, 512) for kind in ("Short", "Long")]
wanted += [f"SHA2/SHA512_256{kind}Msg.rsp" for kind in ("Short", "Long")]
wanted += [f"SHA3/SHA3_{n}{kind}Msg.rsp" for n in (256, 512) for kind in ("Short", "Long")]
wanted += ["SM3/oscca.txt"]
wanted += ["SHA1/SHA1ShortMsg.rsp", "SHA1/SHA1LongMsg.rsp", "MD5/rfc-1321.txt",
           "blake2/blake2b.txt"]
[wheel] = glob.glob(os.path.join(place, "*.whl"))
os.mkdir(os.path.join(place, "hashes"))
with zipfile.ZipFile(wheel) as archive:
    for name in wanted:
        with open(os.path.join(place, "hashes", os.path.basename(name)), "wb") as out:
            out.write(archive.read("cryptography_vectors/hashes/" + name))
END
rm -rf "$vectors/hashes"
mv "$vectors/new/hashes" "$vectors/hashes"
