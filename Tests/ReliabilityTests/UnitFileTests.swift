// The systemd units of examples/systemd: their privileges, and the calls that they allow.

import Foundation
import TestSupport
import Testing

@Suite(
  "The units of systemd", .enabled("systemd", { isInstalled("systemd-analyze") }),
  .timeLimit(.minutes(2)))
struct UnitFileTests {
  private let folder = "\(repositoryRoot)/examples/systemd"

  @Test("expose at most 1.5 of 10", arguments: ["weir-check", "weir-record"])
  func exposure(unit: String) async throws {
    let place = try TemporaryDirectory()
    let script = """
      cp "$1/$2@.service" "./$2@srv.service" &&
      systemd-analyze security --offline=true --threshold=15 "./$2@srv.service"
      """
    let rated = try await shell(script, folder, unit, in: place).run()
    #expect(rated.status == 0, "\(rated.outputText.suffix(200))\(rated.errorText)")
  }

  @Test("allow the calls of the tool", .enabled(if: isInstalled("strace")))
  func calls() async throws {
    let place = try TemporaryDirectory()
    try place.makeDirectory("t")
    for name in 0..<40 { try place.write("\(name)", to: "t/\(name)") }
    let script = #"""
      strace -f -o record "$0" hash --update -o m t >updated &&
        strace -f -o check "$0" check --quiet m || exit 1
      sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' record check | sort -u >made
      systemd-analyze syscall-filter | awk '
        /^@/ { set = $1; next }
        NF { print set, $1 }' >sets
      expand() {
        awk -v from="$1" '$1 == from { print $2 }' sets | while read -r one; do
          case $one in @*) (expand "$one") ;; *) echo "$one" ;; esac
        done
      }
      expand @system-service | sort -u >granted
      expand @privileged | sort -u >refused
      comm -23 granted refused | comm -13 - made
      """#
    let missing = try await shell(script, in: place).run()
    #expect(missing.status == 0 && missing.outputText == "", "\(missing)")
  }
}
