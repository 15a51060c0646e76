// How wide the columns of wc are.

internal import FileJobs
internal import Glibc
internal import SystemPackage

/// The width of wc's columns, which is settled before anything is read: that of the
/// sizes of all regular files together, since no count is larger than their bytes; at
/// least seven where something else is among the names; and one where there is one
/// number to write.
///
/// A list of names is looked through for that, if it is a regular file of ten million
/// bytes at most; others are read as they are needed, and say nothing about the width.
struct CountWidth {
  private var total: UInt64 = 0
  private var hasOther = false

  /// What wc does not read ahead is longer.
  static let listMax = 10 << 20
  private static let widthOfOthers = 7

  /// Of nothing so far.
  init() {}

  /// How wide.
  var value: Int { max(String(total).utf8.count, hasOther ? CountWidth.widthOfOthers : 1) }

  /// Takes something in, where there is anything of that name.
  mutating func add(_ status: stat?) {
    guard let status else { return }
    if status.st_mode & S_IFMT == S_IFREG {
      total += UInt64(max(0, status.st_size))
    } else {
      hasOther = true
    }
  }

  /// What a path leads to; `nil` where that is nothing.
  static func status(of path: UnsafeRawBufferPointer) -> stat? {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 ? status : nil
  }

  static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }
}

extension CountWidth {
  /// That of a command line.
  init(_ operands: Operands, _ columns: CountColumns) {
    if operands.inputs.isEmpty {
      if columns.count > 1 { add(CountWidth.status(of: STDIN_FILENO)) }
      return
    }
    for input in operands.inputs {
      switch input {
      case .path(let name): add(CountWidth.status(of: name, operands))
      case .list(let name, let separator): add(listed: name, separator, operands)
      }
    }
    // One line with one number.
    let isSingle = operands.inputs.count == 1 && operands.names.count == 1
    let isDirectory = operands.names.first.map { CountWidth.isDirectory($0, operands) } ?? false
    if isSingle && columns.count == 1 && !isDirectory { self = CountWidth() }
  }

  private static func isDirectory(_ name: RawArgument, _ operands: Operands) -> Bool {
    status(of: name, operands).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  private static func status(of name: RawArgument, _ operands: Operands) -> stat? {
    if let descriptor = operands.opened[name.bytes] { return status(of: descriptor.rawValue) }
    return name.bytes.withUnsafeBytes { status(of: $0) }
  }

  /// The files that a list names.
  private mutating func add(listed name: RawArgument, _ separator: UInt8, _ operands: Operands) {
    let given = operands.opened[name.bytes]?.rawValue
    let descriptor =
      given
      ?? FilePath(bytes: name.bytes).withPlatformString {
        open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      }
    defer { if given == nil && descriptor >= 0 { close(descriptor) } }
    guard let status = CountWidth.status(of: descriptor),
      status.st_mode & S_IFMT == S_IFREG, status.st_size <= CountWidth.listMax
    else { return }
    CountWidth.names(in: descriptor, separator) { add(CountWidth.status(of: $0)) }
  }

  /// The names in what is left of a file, which is still to be read by somebody else.
  /// One that is longer than any path leads to nothing, and is not kept.
  private static func names(
    in descriptor: Int32, _ separator: UInt8, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var offset = max(0, lseek(descriptor, 0, SEEK_CUR))
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var name: [UInt8] = []
    func end() {
      if !name.isEmpty && name.count < PATH_MAX { name.withUnsafeBytes(body) }
      name.removeAll(keepingCapacity: true)
    }
    while offset <= off_t(listMax) {
      let count = pread(descriptor, &piece, piece.count, offset)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      for byte in piece[..<count] {
        if byte == separator {
          end()
        } else if name.count < PATH_MAX {
          name.append(byte)
        }
      }
      offset += off_t(count)
    }
    end()
  }
}

extension CountColumns {
  /// How many numbers are written.
  var count: Int { rawValue.nonzeroBitCount }
}
