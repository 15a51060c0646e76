# shellcheck shell=sh
# components.sh: the libraries inside the executable of `make dist`, with versions and
# licenses: as text for people, and as a bill of materials for programs (SPDX 2.3).
# dist-archive.sh sources it; the current directory is that of the build.

# package NAME...: the version of the first Debian package that is installed.
package() {
    for one in "$@"; do
        if found=$(dpkg-query -W -f '${Version}' "$one" 2>/dev/null); then
            echo "$found"
            return
        fi
    done
    echo unknown
}

# checkout PACKAGE: the version of a Swift package.
checkout() {
    git -C ".build-dist/checkouts/$1" describe --tags 2>/dev/null || echo unknown
}

swift_version() {
    swift -version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p'
}

system() {
    sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release
}

# distribution: `debian` or the like, for the address of a package.
distribution() {
    sed -n 's/^ID=//p' /etc/os-release | tr -d '"'
}

# components: a line for each: ID|NAME|VERSION|LICENSE|TEXTS|ADDRESS. ADDRESS is a package
# URL, by which databases of vulnerabilities know the component.
components() {
    swift=$(swift_version)
    files=$(checkout swift-system)
    crypto=$(package libssl-dev)
    sums=$(package libxxhash-dev)
    gcc=$(package libstdc++-12-dev libstdc++-13-dev libstdc++-14-dev)
    libc=$(package libc6-dev)
    debian=pkg:deb/$(distribution)
    cat <<END
swift|libraries of Swift (standard library, libdispatch, FoundationEssentials)|$swift|Apache-2.0 WITH Swift-exception|swift.txt|pkg:github/swiftlang/swift@swift-$swift-RELEASE
swift-system|swift-system|$files|Apache-2.0 WITH Swift-exception|swift-system.txt|pkg:github/apple/swift-system@$files
openssl|libcrypto of OpenSSL|$crypto|Apache-2.0|openssl.txt|$debian/openssl@$crypto
xxhash|xxHash|$sums|BSD-2-Clause|xxhash.txt|$debian/xxhash@$sums
gcc|libstdc++ and libgcc|$gcc|GPL-3.0-or-later WITH GCC-exception-3.1|gcc-libraries.txt|$debian/gcc@$gcc
glibc|GNU C library|$libc|LGPL-2.1-or-later|glibc.txt, LGPL-2.1.txt|$debian/glibc@$libc
END
}

# component_list: the components for people.
component_list() {
    components | while IFS='|' read -r _ name version license texts _; do
        printf '  %s %s\n      %s: %s\n' "$name" "$version" "$license" "$texts"
    done
}

# differences: the versions that are not those of dist-versions.txt.
differences() {
    while read -r name wanted; do
        case $name in
        '#'*) continue ;;
        swift) found=$(swift_version) ;;
        swift-*) found=$(checkout "$name") ;;
        *) found=$(package "$name") ;;
        esac
        [ "$found" = "$wanted" ] || echo "$name $found, not $wanted"
    done <support/dist-versions.txt
}

# bill_of_materials: the components for programs. The same inputs give the same text.
bill_of_materials() {
    number=$(version MAJOR).$(version MINOR).$(version PATCH)
    sum=$(sha256sum "$top/bin/weir" | cut -d ' ' -f 1)
    cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "$name",
  "documentNamespace": "https://spdx.org/spdxdocs/$name-$sum",
  "creationInfo": {
    "created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Tool: weir-make-dist-$number"],
    "comment": "Built on $(system) from commit ${WEIR_COMMIT:-unknown}."
  },
  "documentDescribes": ["SPDXRef-weir"],
  "packages": [
    {
      "SPDXID": "SPDXRef-weir",
      "name": "weir",
      "versionInfo": "$number",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "Apache-2.0",
      "licenseDeclared": "Apache-2.0",
      "copyrightText": "NOASSERTION",
      "packageFileName": "bin/weir",
      "checksums": [{"algorithm": "SHA256", "checksumValue": "$sum"}],
      "primaryPackagePurpose": "APPLICATION"
    }$(components | while IFS='|' read -r id title found license _ address; do described; done)
  ],
  "relationships": [
    {
      "spdxElementId": "SPDXRef-DOCUMENT",
      "relationshipType": "DESCRIBES",
      "relatedSpdxElement": "SPDXRef-weir"
    }$(components | while IFS='|' read -r id _; do related; done)
  ]
}
END
}

# described: a component as a package of the bill of materials.
described() {
    cat <<END
,
    {
      "SPDXID": "SPDXRef-$id",
      "name": "$title",
      "versionInfo": "$found",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "$license",
      "licenseDeclared": "$license",
      "copyrightText": "NOASSERTION",
      "externalRefs": [
        {
          "referenceCategory": "PACKAGE-MANAGER",
          "referenceType": "purl",
          "referenceLocator": "$(printf %s "$address" | sed 's/+/%2B/g; s/~/%7E/g; s/:\([0-9]\)/%3A\1/g')"
        }
      ]
    }
END
}

# related: the relation of a component to the tool.
related() {
    cat <<END
,
    {
      "spdxElementId": "SPDXRef-weir",
      "relationshipType": "STATIC_LINK",
      "relatedSpdxElement": "SPDXRef-$id"
    }
END
}
