// Mistakes that are made in a process of their own, and what it says.
import Glibc
import Testing

/// No core file, and no help from Swift.
func prepareToDie() {
  var none = rlimit()
  setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

func errorText(_ result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// SIGILL or SIGTRAP, as the machine has it.
func trapped(_ result: ExitTest.Result?) -> Bool {
  result?.exitStatus == .signal(SIGILL) || result?.exitStatus == .signal(SIGTRAP)
}

/// One line, of the right form, before a trap.
func expectSentence(
  _ result: ExitTest.Result?, naming name: String, saying words: [String],
  _ location: SourceLocation = #_sourceLocation
) {
  let lines = errorText(result).split(separator: "\n").filter { $0.hasPrefix("weir: misuse: ") }
  #expect(lines.count == 1, "\(errorText(result))", sourceLocation: location)
  let line = String(lines.first ?? "")
  for words in [name] + words {
    #expect(line.contains(words), "\(line)", sourceLocation: location)
  }
  #expect(trapped(result), "\(String(describing: result?.exitStatus))", sourceLocation: location)
}

/// What another thread is about to do to this process.
func waitToDie() {
  sleep(20)
}
