/// The largest of many files, in limited memory: their sizes, and later their shards, by
/// their numbers in the plan.
struct LargestFiles {
  private struct File {
    /// The number of the file among those that shards read.
    let number: UInt64
    /// The cost of the file; after ``assign(_:)`` its shard.
    var value: UInt64

    /// True if the file is dropped before another one: it is smaller, or as large and later.
    static func isSmaller(_ left: File, _ right: File) -> Bool {
      (left.value, right.number) < (right.value, left.number)
    }
  }

  private var files: [File] = []
  private let countMax: Int
  private var next = 0

  init(countMax: Int) {
    self.countMax = Swift.max(1, countMax)
  }

  /// Adds a file. Once the memory is full, the smallest file is dropped.
  mutating func add(number: UInt64, cost: UInt64) {
    let file = File(number: number, value: cost)
    if files.count < countMax {
      files.append(file)
      if files.count == countMax { files.heapify(File.isSmaller) }
    } else if File.isSmaller(files[0], file) {
      files.replaceFirst(by: file, File.isSmaller)
    }
  }

  /// Gives the files of at least `least` their shards, the largest first, and drops the others.
  mutating func assign(atLeast least: UInt64, _ shard: (_ cost: UInt64) -> Int) {
    files.removeAll { $0.value < least }
    files.sort { File.isSmaller($1, $0) }
    for index in files.indices { files[index].value = UInt64(shard(files[index].value)) }
    files.sort { $0.number < $1.number }
  }

  /// Returns the shard of a file; `nil` if it is not one of the largest. Must be called for
  /// all files, in order.
  mutating func takeShard(of number: UInt64) -> Int? {
    guard next < files.count, files[next].number == number else { return nil }
    defer { next += 1 }
    return Int(files[next].value)
  }
}
