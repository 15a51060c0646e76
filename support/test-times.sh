#!/bin/sh
# test-times.sh: shows where the time of `make test` goes: processor time by module of a build from
# nothing, then the time of each suite and of the thirty slowest tests, run one after the other.
# FILTER=REGEX chooses the Swift tests.
set -eu

. support/shell.sh

place=$PWD/.build/times
rm -rf "$place"
mkdir -p "$place"

# A toolchain whose compiler notes its own processor time and that of its children.
mkdir -p "$place/usr/bin"
ln -s "$(toolchain)"/bin/* "$place/usr/bin/"
ln -s "$(toolchain)/lib" "$(toolchain)/share" "$place/usr/"
rm "$place/usr/bin/swiftc"
cat >"$place/usr/bin/swiftc" <<END
#!/bin/sh
module=\$(printf '%s\n' "\$@" | sed -n '/^-module-name\$/{n;p;q;}')
status=0
"$(toolchain)/bin/swiftc" "\$@" || status=\$?
times >"$place/\$\$"
[ -z "\$module" ] || echo "\$module \$(tail -n 1 "$place/\$\$")" >>"$place/modules"
rm "$place/\$\$"
exit "\$status"
END
chmod +x "$place/usr/bin/swiftc"

begin=$(date +%s)
SWIFT_EXEC=$place/usr/bin/swiftc build_tests "$place/build" >"$place/build.log" 2>&1 ||
    fail "see $place/build.log"
say "build: $(($(date +%s) - begin)) s"
awk '{ name = $1; $1 = ""; gsub("[ms]", " "); seconds[name] += $1 * 60 + $2 + $3 * 60 + $4 }
    END { for (name in seconds) printf "%8.1f %s\n", seconds[name], name }' "$place/modules" |
    sort -rn

sh support/check-lib.sh >"$place/check-lib.log" 2>&1 || fail "see $place/check-lib.log"
begin=$(date +%s)
swift_tests 60 "$place/build" --skip-build --no-parallel \
    --filter "${FILTER:-^(WeirTests|FileJobsTests|FuzzTests|WeirToolTests|ReliabilityTests)\.}" \
    >"$place/test.log" 2>&1 </dev/null || say "some tests failed; see $place/test.log"
say "Swift tests, one after the other: $(($(date +%s) - begin)) s"

# list KIND: prints the seconds and the names of suites or tests.
list() {
    sed -n "s/^.*[✔✘].* $1 \(.*\) \(with [0-9]* test cases* \)\{0,1\}\(passed\|failed\) after \([0-9.]*\) seconds.*/\4 \1/p" \
        "$place/test.log" | sort -rn
}
printf '\nsuites\n'
list Suite | head -n 40
printf '\ntests\n'
{
    list Test
    cat .build/check/times
} | sort -rn | head -n 30
