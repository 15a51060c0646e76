internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A comparison of the files of a group, window by window. A lane owns it.
///
/// DESIGN. Each file is read once: a window of the first, then the same window of each other file.
/// Opening the files again for each window costs next to nothing beside reading it. So one
/// descriptor is open at a time, for which the processor holds a permit, since it has not opened
/// the file itself. For a second one the lane would have to wait while it holds the first, and a
/// small budget would come to a stop. Files that differ from the first are compared afterwards.
final class DuplicatesComparison {
  /// The verdict on a file. It passes through the processor as bytes.
  enum Verdict: Equatable, BitwiseCopyable {
    /// The file is equal to all others of this part; parts are numbered from 0.
    case part(UInt32)
    case changed
    case failed(Errno)
  }

  struct File {
    let path: [UInt8]
    let metadata: DuplicatesMetadata
  }

  static let window = 1 << 17
  /// O_NONBLOCK: a FIFO may have replaced the file.
  private static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

  private let first = UnsafeMutableRawPointer.allocate(byteCount: window, alignment: 4096)
  private let other = UnsafeMutableRawPointer.allocate(byteCount: window, alignment: 4096)
  private let countBytes: @Sendable (Int) -> Void
  private let isCanceled: @Sendable () -> Bool

  init(
    countBytes: @escaping @Sendable (Int) -> Void, isCanceled: @escaping @Sendable () -> Bool
  ) {
    self.countBytes = countBytes
    self.isCanceled = isCanceled
  }

  deinit {
    first.deallocate()
    other.deallocate()
  }

  /// Compares `count` files with each other.
  ///
  /// - Parameter files: Makes a file, each time it is read: the paths of a million files
  ///   would take more memory than the table has for them.
  /// - Throws: `Errno.canceled` only.
  func compare(_ count: Int, _ files: (Int) -> File) throws(Errno) -> [Verdict] {
    var verdicts = Array(repeating: Verdict.changed, count: count)
    var rest = Array(0..<count)
    var part: UInt32 = 0
    while !rest.isEmpty {
      rest = try compare(rest, of: files, as: part, &verdicts)
      part += 1
    }
    return verdicts
  }

  /// Compares some files with the first of them. Returns those that differ from it.
  private func compare(
    _ some: [Int], of files: (Int) -> File, as part: UInt32, _ verdicts: inout [Verdict]
  ) throws(Errno) -> [Int] {
    var same = some
    var others: [Int] = []
    var offset: UInt64 = 0
    while let size = same.first.map({ files($0).metadata.size }), offset < size {
      if isCanceled() { throw .canceled }
      let length = Int(min(size - offset, UInt64(DuplicatesComparison.window)))
      // Any of the files that agreed so far can be the first.
      guard let leader = read(&same, files, offset, length, &verdicts) else { break }
      var agreeing = [leader]
      for index in same {
        if let verdict = read(files(index), offset, length, into: other) {
          verdicts[index] = verdict
        } else if memcmp(first, other, length) == 0 {
          agreeing.append(index)
        } else {
          others.append(index)
        }
      }
      same = agreeing
      offset += UInt64(length)
    }
    for index in same { verdicts[index] = .part(part) }
    return others
  }

  /// Reads a window of the first readable file. Removes it and those before it, and returns it.
  private func read(
    _ same: inout [Int], _ files: (Int) -> File, _ offset: UInt64, _ length: Int,
    _ verdicts: inout [Verdict]
  ) -> Int? {
    while let index = same.first {
      same.removeFirst()
      guard let verdict = read(files(index), offset, length, into: first) else { return index }
      verdicts[index] = verdict
    }
    return nil
  }

  // MARK: One file

  /// Reads a window. Returns `nil` after success.
  private func read(
    _ file: File, _ offset: UInt64, _ length: Int, into memory: UnsafeMutableRawPointer
  ) -> Verdict? {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try DescriptorBudget.retrying { () throws(Errno) in
        try LongPath.open(file.path, DuplicatesComparison.flags)
      }
    } catch {
      // A socket, or a device without a driver, has replaced the file.
      return error == .noSuchAddressOrDevice ? .changed : .failed(error)
    }
    defer { close(descriptor.rawValue) }
    do throws(Errno) {
      // Before the first read: a device or a FIFO may have replaced the file.
      guard file.metadata.matches(FileStatus(try stat(of: descriptor))) else { return .changed }
      let window = UnsafeMutableRawBufferPointer(start: memory, count: length)
      let done = try descriptor.read(filling: window, at: Int(offset))
      guard done == length else { return .changed }
      countBytes(done)
      // And after the last: so the file was unchanged all the time.
      return file.metadata.matches(FileStatus(try stat(of: descriptor))) ? nil : .changed
    } catch {
      return .failed(error)
    }
  }
}
