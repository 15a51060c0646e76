// The manifest that is brought up to date.

#if Tool
  internal import Glibc
  package import SystemPackage

  /// A manifest that a run brings up to date.
  package struct RecordBase: Sendable {
    package let descriptor: FileDescriptor
    /// For each source of the run that made it which one of this run that is; -1
    /// for one that is not asked for any more. `nil` where they are the same.
    private let sources: [Int]?

    /// Opens a manifest of mtree(5); `nil` where there is none of that name, or it
    /// is of another kind.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - inputs: The words of this run's header that name its sources, in order.
    ///   - keywords: The keywords of such words.
    package init?(
      _ name: [UInt8], inputs: [RunHeader.Word], keywords: Set<String>
    ) throws(OutputTrouble) {
      guard try OutputFile.status(ofFile: name) != nil else { return nil }
      let opened = withPath(name) { open($0, O_RDONLY | O_CLOEXEC) }
      guard opened >= 0 else { throw OutputTrouble(systemOf: name, errno) }
      let line = try OutputFile.firstLine(opened, of: name) ?? []
      guard line.starts(with: "#mtree".utf8) else {
        Glibc.close(opened)
        return nil
      }
      descriptor = FileDescriptor(rawValue: opened)
      sources = RunHeader(line: line).map { header in
        RecordBase.places(of: header.words.filter { keywords.contains($0.keyword) }, in: inputs)
      }
    }

    /// Where words stand among others, as far as they come in the same order.
    static func places(of words: [RunHeader.Word], in others: [RunHeader.Word]) -> [Int] {
      var from = 0
      return words.map { word in
        guard let place = others[from...].firstIndex(of: word) else { return -1 }
        from = place + 1
        return place
      }
    }

    /// What it says, from a place in it.
    func reader(from place: RecordPlace = RecordPlace()) -> RecordReader {
      let sources = sources
      return RecordReader(descriptor, from: place, isStrict: false) { number in
        guard let sources else { return number }
        return sources.indices.contains(number) ? sources[number] : -1
      }
    }

    /// Ends it.
    package func close() {
      Glibc.close(descriptor.rawValue)
    }
  }
#endif
