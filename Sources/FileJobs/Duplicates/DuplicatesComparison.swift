// Comparing files byte for byte.

internal import Glibc
internal import SystemPackage
internal import Weir

/// Compares the files of a group, window by window. A lane owns it.
///
/// DESIGN. Each file is read once, however many there are: a window of the first, then
/// the same window of each other one. Of several windows the files are opened again
/// for each, which costs next to nothing beside reading a window, and so there
/// is one descriptor open at a time, for which the processor holds a permit since it
/// has not opened the file itself. Two at a time would have to be waited for while one
/// is held, which is how a budget of few comes to a stop.
///
/// Files that differ from the first are compared with each other afterwards.
final class DuplicatesComparison {
  /// What became of a file.
  enum Verdict {
    /// It is equal to all of that part, from 0 on.
    case part(UInt32)
    case changed
    case failed(Errno)
  }

  /// A file to compare.
  struct File {
    /// Ends in NUL.
    let path: [UInt8]
    let stamp: DuplicatesStamp
  }

  static let window = 1 << 17
  /// O_NONBLOCK: what took a file's place may be a FIFO.
  private static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

  private let first = UnsafeMutableRawPointer.allocate(byteCount: window, alignment: 4096)
  private let other = UnsafeMutableRawPointer.allocate(byteCount: window, alignment: 4096)
  /// How many bytes were read so far.
  private let count: @Sendable (Int) -> Void
  private let isCanceled: @Sendable () -> Bool

  init(count: @escaping @Sendable (Int) -> Void, isCanceled: @escaping @Sendable () -> Bool) {
    self.count = count
    self.isCanceled = isCanceled
  }

  deinit {
    first.deallocate()
    other.deallocate()
  }

  /// Compares so many files with each other.
  ///
  /// - Parameter files: Makes one of them, each time when it is read: there may be a
  ///   million, whose paths would be more than all that is known of them.
  /// - Throws: `Errno.canceled` alone.
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

  /// Compares some with the first of them. Returns those that differ from it.
  private func compare(
    _ some: [Int], of files: (Int) -> File, as part: UInt32, _ verdicts: inout [Verdict]
  ) throws(Errno) -> [Int] {
    var same = some
    var others: [Int] = []
    var offset: UInt64 = 0
    while let size = same.first.map({ files($0).stamp.size }), offset < size {
      if isCanceled() { throw .canceled }
      let length = Int(min(size - offset, UInt64(DuplicatesComparison.window)))
      // Those that agreed up to here may stand for each other.
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

  /// Reads a window of the first that it can be read of, and takes out those before it
  /// and itself.
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

  /// Reads a window. Returns `nil`, or why that was not possible.
  private func read(
    _ file: File, _ offset: UInt64, _ length: Int, into memory: UnsafeMutableRawPointer
  ) -> Verdict? {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try DescriptorBudget.retrying { () throws(Errno) in
        try LongPath.open(file.path, DuplicatesComparison.flags)
      }
    } catch {
      // A socket, or a device without a driver: it was a file when it was found.
      return error == .noSuchAddressOrDevice ? .changed : .failed(error)
    }
    defer { close(descriptor.rawValue) }
    // Nothing is read of a device that took its place, or of a FIFO.
    if let verdict = look(file, descriptor) { return verdict }
    var done = 0
    while done < length {
      let got = pread(
        descriptor.rawValue, memory + done, length - done, off_t(offset) + off_t(done))
      if got < 0 && errno == EINTR { continue }
      if got < 0 { return .failed(Errno(rawValue: errno)) }
      if got == 0 { return .changed }
      done += got
    }
    count(done)
    // Behind the reading too: so it was what was found, all the time.
    return look(file, descriptor)
  }

  /// Returns `nil` where it is the file that was found, as it was.
  private func look(_ file: File, _ descriptor: FileDescriptor) -> Verdict? {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      return .failed(Errno(rawValue: errno))
    }
    return file.stamp.matches(status) ? nil : .changed
  }
}

extension DuplicatesStamp {
  func matches(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && UInt64(status.st_ino) == inode
      && UInt64(status.st_dev) == device && UInt64(bitPattern: Int64(status.st_size)) == size
      && Int64(status.st_mtim.tv_sec) == seconds && Int32(status.st_mtim.tv_nsec) == nanoseconds
  }
}
