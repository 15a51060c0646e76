// The names on the command line of a drop-in tool.

/// The operands of a command line; standard input if there are none.
protocol DropInNames: Sendable {
  /// The number of names, at least 1.
  var nameCount: Int { get }

  /// The bytes of one of the names; valid for the life of the process.
  func name(at index: Int) -> UnsafeRawBufferPointer

  /// Returns true if a name is that of standard input.
  func isStandardInput(at index: Int) -> Bool
}

extension DropInNames {
  func isStandardInput(at index: Int) -> Bool {
    name(at: index).elementsEqual(DropInOptionParser.standardInput)
  }

  /// A Boolean value that indicates whether standard input is among the names.
  var namesStandardInput: Bool { (0..<nameCount).contains { isStandardInput(at: $0) } }
}
