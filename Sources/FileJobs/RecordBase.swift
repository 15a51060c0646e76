// The manifest that is brought up to date.

#if Tool
  internal import Glibc
  package import SystemPackage

  /// A manifest that a run brings up to date.
  package struct RecordBase: Sendable {
    package let descriptor: FileDescriptor
    /// What the sources of the run that made it are to this run.
    private let sources: RunHeader.Sources

    /// Opens a manifest of mtree(5); `nil` where there is none of that name, or it
    /// is of another kind.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - header: Of this run.
    package init?(
      _ name: [UInt8], header: RunHeader
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
      sources = try RecordBase.sources(of: opened, name, line, header)
    }

    /// The first line says them, or a comment behind it where there are several.
    private static func sources(
      of opened: Int32, _ name: [UInt8], _ line: [UInt8], _ header: RunHeader
    ) throws(OutputTrouble) -> RunHeader.Sources {
      if let before = RunHeader(line: line) { return header.sources(of: before) }
      let lines = ManifestReader(FileDescriptor(rawValue: opened), from: Int64(line.count))
      do throws(Errno) {
        guard let second = try lines.next() else { return .same }
        if let before = RunHeader(comment: second) { return header.sources(of: before) }
        return second.starts(with: RecordReader.source.utf8) ? .unknown : .same
      } catch {
        throw OutputTrouble(name, .system(error))
      }
    }

    /// The source of records that do not say it, where this run has so many.
    func onlySource(of count: Int) -> Int? { count == 1 && sources != .unknown ? 0 : nil }

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
        sources.meaning(number)
      }
    }

    /// Ends it.
    package func close() {
      Glibc.close(descriptor.rawValue)
    }
  }
#endif
