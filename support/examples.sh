#!/bin/sh
# examples.sh: makes one package of the Swift packages in examples, in
# .build/examples, and prints its path. `make test` runs the tests of all of them
# after one build of Weir and of their common dependencies, instead of three.
#
# The sources are copies with the time of the originals, so that a second build is
# incremental. The manifest contains the manifests of the packages as functions.
set -eu

place=.build/examples
mkdir -p "$place"
parts=
{
    echo "// swift-tools-version: 6.2"
    echo "import PackageDescription"
    for manifest in examples/*/Package.swift; do
        folder=${manifest#examples/}
        folder=${folder%/Package.swift}
        [ -d "examples/$folder/Tests" ] || continue
        rm -rf "${place:?}/$folder"
        mkdir "$place/$folder"
        for part in README.md Sources Tests; do
            [ ! -e "examples/$folder/$part" ] || cp -Rp "examples/$folder/$part" "$place/$folder"
        done
        printf 'func %s() -> Package {\n' "$folder"
        sed '/^\/\/ swift-tools-version/d; /^import /d' "$manifest"
        printf 'return package\n}\n'
        parts="$parts(\"$folder\", $folder()),"
    done
    cat <<END
var targets: [Target] = []
var dependencies: [String: Package.Dependency] = [:]
for (folder, package) in [$parts] {
  for target in package.targets {
    target.path = "\(folder)/\(target.isTest ? "Tests" : "Sources")/\(target.name)"
    targets.append(target)
  }
  for dependency in package.dependencies { dependencies["\(dependency.kind)"] = dependency }
}
let examples = Package(
  name: "examples", dependencies: Array(dependencies.values), targets: targets,
  swiftLanguageModes: [.v6], cLanguageStandard: .gnu11)
END
} >"$place/Package.swift.new"
# A new time would make SwiftPM read the manifest again.
if cmp -s "$place/Package.swift.new" "$place/Package.swift"; then
    rm "$place/Package.swift.new"
else
    mv "$place/Package.swift.new" "$place/Package.swift"
fi
echo "$place"
