// `weir demo` executes weir-demo: the one beside it, in ../libexec, or in PATH.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DemoProgramTests {
  @Test("the nearest weir-demo runs, with the same arguments and its own exit status")
  func places() async throws {
    let result = try await scripted(
      """
      mkdir bin libexec path; cp "$0" bin/weir; PATH=$PWD/path:$PATH
      bin/weir demo gate 2>none; echo $?; bin/weir --help | grep -c 'weir demo'
      for place in path libexec bin; do
        printf '#!/bin/sh\\necho %s "$#" "$@"; exit 7\\n' $place >$place/weir-demo
        chmod +x $place/weir-demo; bin/weir demo gate 'a b' --help; echo $?
        bin/weir --help | grep -c 'weir demo'; rm $place/weir-demo
      done
      """)
    result.expectSilence()
    #expect(
      result.outputText.split(separator: "\n") == [
        "2", "0", "path 3 gate a b --help", "7", "1", "libexec 3 gate a b --help", "7", "1",
        "bin 3 gate a b --help", "7", "1",
      ])
  }
}
