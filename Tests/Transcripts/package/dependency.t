Weir as a dependency: it builds for each kind of requirement of SwiftPM, and brings swift-system and no other package.

A package outside the repository with a program in C, and further targets: `client REQUIREMENT TARGETS PROGRAM...` prints what
the programs print, and the packages that it depends on. It writes nothing to the user's home, and takes swift-system from this
build's own checkout, so that it needs no network.

  $ . "$transcripts/package/package.sh"; clone; system=$(realpath "$products/../../checkouts/swift-system")
  $ client() {
  >   mkdir -p client/Sources/c-program client/Sources/contracts; cp "$transcripts/package/client.c" client/Sources/c-program/main.c
  >   cp "$transcripts/package/Contracts.swift" client/Sources/contracts; cat >client/Package.swift <<MANIFEST
  > // swift-tools-version: 6.2
  > import PackageDescription
  > let package = Package(
  >   name: "client", dependencies: [.package($1)],
  >   targets: [
  >     .executableTarget(name: "c-program", dependencies: [.product(name: "CWeir", package: "weir")], sources: ["main.c"]), $2
  >   ], swiftLanguageModes: [.v6])
  > MANIFEST
  >   shift 2; cd client; places="--cache-path $PWD/cache --config-path $PWD/config --security-path $PWD/security"
  >   [ ! -d "$system" ] || swift package $places config set-mirror --original https://github.com/apple/swift-system --mirror "file://$system" >log
  >   swift build $places --disable-index-store >>log 2>&1 || cat log
  >   for program in c-program "$@"; do .build/debug/$program; done | sed "s/$version/VERSION/"
  >   swift package $places show-dependencies --format json | sed -n 's/.*"identity": "\(.*\)".*/\1/p' | sort | xargs; cd ..
  > }

## by version, from C and from Swift: the signatures that outside programs are compiled against, with warnings as errors
  $ client "url: \"file://$PWD/weir\", from: \"$version\", traits: []" '.executableTarget(
  >   name: "contracts", dependencies: [.product(name: "Weir", package: "weir")],
  >   swiftSettings: [
  >     .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  >     .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
  >   ])' contracts
  VERSION apply 4950 lanes 10 gate 3
  blocks: apply 4950 lanes 10 copied 5
  Weir VERSION
  done
  client swift-system weir

## by path and by branch
  $ for requirement in "path: \"$PWD/weir\"" "url: \"file://$PWD/weir\", branch: \"trunk\""; do echo "requirement $requirement"; done | sampled |
  > while read -r _ requirement; do client "$requirement" ''; rm -rf client; done | sort -u
  VERSION apply 4950 lanes 10 gate 3
  blocks: apply 4950 lanes 10 copied 5
  client swift-system weir
