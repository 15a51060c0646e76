// What stands in the manifests that GNU's tools are to verify.

#if Tool
  internal import FileJobs
  internal import Glibc
  internal import SystemPackage

  /// What is to be done next, or said.
  enum CheckStep {
    /// A file to verify, and its digest. Both are of use until the next step.
    case file(name: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer)
    /// A line that is none of a checksum tool, by its number.
    case malformed(line: Int)
    /// A manifest that could not be opened.
    case unopened(Errno)
    /// A manifest that could not be read to its end.
    case unread
    /// A manifest is at its end.
    case end
  }

  /// Reads manifests, one after the other.
  struct DropInManifests {
    private let names: [[UInt8]]
    private var parser: ManifestParser
    private var reader: ManifestReader?
    private var descriptor = FileDescriptor.standardInput
    /// Which of the names is being read.
    private(set) var index = -1
    /// Whether standard input was read, as a manifest or as a file.
    private(set) var hasReadStandardInput = false

    init(_ names: [[UInt8]], algorithm: DigestAlgorithm) {
      self.names = names
      // One for all of them: how the first line separates digest and name binds
      // the lines of the others too.
      parser = ManifestParser(as: algorithm)
    }

    /// The name of one of them, for messages.
    func title(_ index: Int) -> [UInt8] {
      isStandardInput(index) ? Array("standard input".utf8) : names[index]
    }

    /// The next step; `nil` behind the last one.
    mutating func next() -> CheckStep? {
      while true {
        guard let reader else {
          guard index + 1 < names.count else { return nil }
          index += 1
          if let error = open() { return .unopened(error) }
          continue
        }
        do throws(Errno) {
          guard let line = try reader.next() else {
            close()
            return .end
          }
          if let step = step(line, reader.lineNumber) { return step }
        } catch {
          close()
          return .unread
        }
      }
    }

    private mutating func step(_ line: UnsafeMutableRawBufferPointer, _ number: Int) -> CheckStep? {
      switch parser.parse(line) {
      case .ignored: return nil
      case .malformed: return .malformed(line: number)
      case .entry(let entry):
        if entry.name.elementsEqual(DropInOptions.standardInput) {
          // The manifest itself is no file of it.
          if isStandardInput(index) { return .malformed(line: number) }
          hasReadStandardInput = true
        }
        return .file(name: entry.name, digest: entry.digest)
      }
    }

    private func isStandardInput(_ index: Int) -> Bool {
      names[index] == DropInOptions.standardInput
    }

    private mutating func open() -> Errno? {
      if isStandardInput(index) {
        hasReadStandardInput = true
        descriptor = .standardInput
      } else {
        let number = Glibc.open(
          (names[index] + [0]).map { CChar(bitPattern: $0) }, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return Errno(rawValue: errno) }
        descriptor = FileDescriptor(rawValue: number)
      }
      reader = ManifestReader(descriptor, lengthMax: Int.max)
      return nil
    }

    private mutating func close() {
      reader = nil
      if descriptor != .standardInput { Glibc.close(descriptor.rawValue) }
    }
  }
#endif
