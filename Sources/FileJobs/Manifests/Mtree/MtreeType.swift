// The types of mtree(5).

internal import Weir

/// What `type=` can say.
enum MtreeType {
  private static let all: [(word: StaticString, type: EntryType)] = [
    ("file", .file), ("dir", .directory), ("link", .symbolicLink), ("fifo", .fifo),
    ("socket", .socket), ("char", .characterDevice), ("block", .blockDevice),
  ]

  /// The type of a word.
  static func type(of word: UnsafeRawBufferPointer) -> EntryType? {
    all.first { entry in
      entry.word.utf8CodeUnitCount == word.count
        && word.elementsEqual(
          UnsafeBufferPointer(
            start: entry.word.utf8Start, count: entry.word.utf8CodeUnitCount))
    }?.type
  }

  /// The word of a type.
  static func word(of type: EntryType) -> StaticString {
    all.first { $0.type == type }?.word ?? "file"
  }
}
