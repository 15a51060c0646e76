// A file that appears complete or not at all.
//
// DESIGN. An output M has up to four companions in its directory:
//
//     M.partial       what was found out so far, as mtree(5); locked by its run
//     M.partial.next  the same, written by a run that goes on from M.partial
//     M.partial.text  what is to become M, while it is made of the records
//     M.mtree         the records of the M that is there
//
// M is made of the records when they are complete, and written back before it is
// renamed. What can end a run between any two of its calls, and what is there
// then:
//
//  - Before the first line of M.partial is whole: nothing is recorded, and a run
//    that goes on begins anew.
//  - While records are appended: a beginning of them, its last line cut. A machine
//    that is lost leaves what was written back last and, behind that, lines,
//    zeros, or a part of either: the first line that cannot be read ends what is
//    believed. (A file system that shows old blocks of other files after a crash
//    could show a whole line of an old manifest. None does by default; and that
//    line has to agree with a file in name, size and time to be used.)
//  - A run that goes on reads M.partial and writes M.partial.next from the
//    beginning, since files may have changed, come and gone anywhere. Both are
//    there until the end, when one replaces the other. Ended before, the next run
//    takes both: what the second has, and of the first what the second had not
//    come to. That is put together in M.partial.next, which grows at its end alone:
//    doing it again gives the same. So what was ever recorded stays recorded.
//    (To append to M.partial alone was rejected: a file that has changed would have
//    two records, and the order of the names would be lost, by which everything is
//    found again in flat memory.)
//  - While M.partial.text is made: it is removed by the next run.
//  - M is renamed before M.partial becomes M.mtree. Between the two M is complete,
//    and a run that goes on finds all recorded, reads nothing and makes the same M.
//    The other way round it would find nothing and read everything again.
//  - What a rename did is safe when the directory is written back. Until then a
//    lost machine may have the old name or the new: both are states as above.
//
// The lock is flock(2), which goes with the process however it ends. It is on the
// very file that M.partial is: a run locks what it has opened, and then looks
// whether the name still leads there, since the run before may have renamed or
// removed it meanwhile. M.partial.next is locked before it gets the name. A lock
// file of its own would have to be left behind or be removed, with the same care.
//
// A full disk, or a limit of the size of files, is an error of a write like any
// other: what was recorded stays, and M stays what it was.

internal import Glibc
package import SystemPackage
internal import Weir

/// The output of a run, and what is beside it while the run is under way.
///
/// @unchecked Sendable: one thread at a time begins, appends and ends.
package final class OutputFile: @unchecked Sendable {
  /// Where it is: what a symbolic link of its name leads to.
  package let path: [UInt8]
  /// What is recorded, until the run is over.
  package let partial: [UInt8]
  /// The records of the output that is there.
  package let records: [UInt8]
  private let next: [UInt8]
  private let text: [UInt8]
  private let directory: [UInt8]
  private let interval: Double

  /// The lock of `partial`, and the records of a run before.
  private var former: Int32 = -1
  /// What is appended to: `partial`, or `next`.
  private var present: Int32 = -1
  private var sync: OutputSync?
  /// What the output that is there allows to whom.
  private var ownership: stat?

  /// O_PATH, which Swift does not see: neither read nor written.
  private static let pathOnly: Int32 = 0o10_000_000

  /// How often records are written back, in seconds.
  package static let interval = 3.0

  /// Finds the place of an output. Nothing is made or changed.
  ///
  /// - Throws: What is wrong with it: a directory, no file, no directory to be
  ///   in.
  package init(
    _ name: [UInt8], interval: Double = OutputFile.interval
  ) throws(OutputError) {
    self.interval = interval
    path = try OutputFile.resolved(name)
    partial = path + ".partial".utf8
    next = path + ".partial.next".utf8
    text = path + ".partial.text".utf8
    records = path + ".mtree".utf8
    directory = OutputFile.directory(of: path)
    ownership = try OutputFile.status(ofFile: path)
    if withPath(directory, { access($0, W_OK | X_OK) }) != 0 {
      throw OutputError(systemOf: name, errno)
    }
    try OutputFile.expectShort(next)
    let recordsOwnership = try OutputFile.status(ofFile: records)
    for (name, status) in [(path, ownership), (records, recordsOwnership)] {
      try OutputFile.expectReplaceable(name, status, in: directory)
    }
  }

  deinit {
    closeAll()
  }

  // MARK: Beginning

  /// Locks the output. Returns whether a run before has left anything.
  ///
  /// - Parameter keepsRecords: As of ``finish(keepsRecords:_:)``.
  /// - Throws: Who holds it; or what there is that no run has written and this one
  ///   would replace.
  package func lock(keepsRecords: Bool = true) throws(OutputError) -> Bool {
    try OutputFile.expectOurs(partial, OutputFile.isRecords)
    try OutputFile.expectOurs(next, OutputFile.isRecords)
    try OutputFile.expectOurs(text, OutputFile.isManifest)
    if keepsRecords { try OutputFile.expectOurs(records, OutputFile.isRecords) }
    former = try OutputFile.lock(partial)
    var status = stat()
    guard fstat(former, &status) == 0 else { throw OutputError(systemOf: partial, errno) }
    // Of a run that was ended while it made the output.
    try OutputFile.remove(text)
    return status.st_size > 0
  }

  /// The first line of what a run before has left; `nil` where it is not whole.
  package func formerLine() throws(OutputError) -> [UInt8]? {
    try OutputFile.firstLine(former, of: partial)
  }

  /// Whether what has no whole first line is of a run that was cut short at its
  /// beginning: a part of such a line, or zeros of a machine that was lost.
  package func isFormerOurs() throws(OutputError) -> Bool {
    let begin = try OutputFile.beginning(former, of: partial)
    return RecordHeader.canBegin(with: begin) || begin.allSatisfy { $0 == 0 }
  }

  /// What is wrong with what a run before has left.
  package func trouble(_ reason: OutputError.Reason) -> OutputError {
    OutputError(partial, reason)
  }

  /// Begins with nothing recorded.
  ///
  /// - Parameter line: The first line, with its newline.
  package func begin(with line: [UInt8]) throws(OutputError) {
    try OutputFile.remove(next)
    present = former
    former = -1
    if ftruncate(present, 0) != 0 { throw OutputError(systemOf: partial, errno) }
    try start(with: line)
  }

  /// Goes on after a run that was ended.
  ///
  /// - Parameters:
  ///   - line: The first line, with its newline; the same as that run's.
  ///   - isOrdered: As of ``RecordJoin``.
  /// - Returns: A descriptor of what it has recorded, of use until the end.
  package func goOn(
    with line: [UInt8], isOrdered: @escaping @Sendable (Int) -> Bool
  ) throws(OutputError) -> FileDescriptor {
    try adopt(line, isOrdered)
    present = try OutputFile.make(next)
    try start(with: line)
    return FileDescriptor(rawValue: former)
  }

  private func start(with line: [UInt8]) throws(OutputError) {
    // A run that goes on has to write to it, whatever the output allows.
    take(over: present, adding: S_IRUSR | S_IWUSR)
    if lseek(present, 0, SEEK_SET) != 0 { throw OutputError(systemOf: partial, errno) }
    sync = OutputSync(present, directory: directory, interval: interval)
    try append(line)
  }

  /// Where a run that went on was ended too: puts together what the two have
  /// recorded.
  private func adopt(
    _ line: [UInt8], _ isOrdered: @escaping @Sendable (Int) -> Bool
  ) throws(OutputError) {
    guard let second = try OutputFile.reopen(next) else { return }
    defer { close(second) }
    // Of another run, whose M.partial somebody has removed.
    let itsLine = try OutputFile.firstLine(second, of: next)
    if itsLine != line { return try OutputFile.remove(next) }
    let adoption = RecordAdoption(first: former, second: second, isOrdered: isOrdered)
    do throws(Errno) { try adoption.run() } catch { throw OutputError(next, .system(error)) }
    guard flock(second, LOCK_EX | LOCK_NB) == 0 else {
      throw OutputError(partial, .isHeld(OutputHolder.find(second)))
    }
    try replacePartial()
    close(former)
    former = fcntl(second, F_DUPFD_CLOEXEC, 3)
    if former < 0 { throw OutputError(systemOf: partial, errno) }
  }

  /// What is not to be read by the run: the output and all that is beside it.
  /// The descriptors of those that are not open anyway are closed when `body`
  /// returns.
  package func withOwnFiles<R, E: Error>(
    _ body: ([FileDescriptor]) throws(E) -> R
  ) throws(E) -> R {
    let opened = [path, records].map { name in
      withPath(name) { open($0, OutputFile.pathOnly | O_CLOEXEC) }
    }
    defer { for descriptor in opened where descriptor >= 0 { close(descriptor) } }
    let own = opened + [former, present]
    return try body(own.filter { $0 >= 0 }.map(FileDescriptor.init(rawValue:)))
  }

  /// Whether a name leads to the output or to what is beside it.
  package func isOwn(_ name: [UInt8]) -> Bool {
    var status = stat()
    return withPath(name) { stat($0, &status) } == 0 && isOwn(status)
  }

  /// Whether a descriptor is open on the output or on what is beside it.
  package func isOwn(_ descriptor: FileDescriptor) -> Bool {
    var status = stat()
    return fstat(descriptor.rawValue, &status) == 0 && isOwn(status)
  }

  private func isOwn(_ status: stat) -> Bool {
    [path, partial, next, text, records].contains { name in
      var own = stat()
      return withPath(name) { stat($0, &own) } == 0 && own.st_ino == status.st_ino
        && own.st_dev == status.st_dev
    }
  }

  /// Whether a name is that of the output or of what may be beside it, also where
  /// there is none of them yet.
  package func isNamed(by name: [UInt8]) -> Bool {
    guard let other = try? OutputFile.resolved(name) else { return false }
    if isOwn(other) { return true }
    let (own, its) = (directory, OutputFile.directory(of: other))
    var (one, two) = (stat(), stat())
    guard withPath(own, { stat($0, &one) }) == 0, withPath(its, { stat($0, &two) }) == 0,
      one.st_ino == two.st_ino, one.st_dev == two.st_dev
    else { return false }
    return [path, partial, next, text, records].contains {
      OutputFile.lastComponent(of: $0) == OutputFile.lastComponent(of: other)
    }
  }

  // MARK: Recording

  /// Appends to the records.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = write(present, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw OutputError(systemOf: partial, errno)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    sync?.note()
    if let failure = sync?.failure { throw OutputError(partial, .system(failure)) }
  }

  /// Appends to the records.
  package func append(_ bytes: [UInt8]) throws(OutputError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(OutputError) in try append(bytes) }
    }
    try result.get()
  }

  /// How often the records were written back.
  package var syncCount: Int { sync?.count ?? 0 }

  // MARK: Ending

  /// Writes the records back, and leaves them for a run that goes on.
  package func leave() throws(OutputError) {
    defer { closeAll() }
    try finishSync()
  }

  /// Makes the output of the records.
  ///
  /// - Parameters:
  ///   - keepsRecords: Whether they are left beside it, as `M.mtree`.
  ///   - willReplace: Called before the output changes. What ends the run up to then
  ///     leaves it as it was, and what was recorded beside it.
  ///   - make: Is given a descriptor of the records, and one to write to.
  ///     What it throws is taken to be about the latter.
  package func finish(
    keepsRecords: Bool, willReplace: () -> Void = {},
    _ make: (FileDescriptor, FileDescriptor) throws(Errno) -> Void
  ) throws(OutputError) {
    defer { closeAll() }
    try finishSync()
    if former >= 0 {
      try OutputFile.expect(former, at: partial)
      try replacePartial()
      close(former)
      former = -1
    }
    try OutputFile.expect(present, at: partial)
    try makeText(make)
    willReplace()
    do throws(OutputError) {
      try OutputFile.move(text, to: path)
    } catch {
      try? OutputFile.remove(text)
      throw error
    }
    try syncDirectory()
    if keepsRecords {
      take(over: present)
      try OutputFile.move(partial, to: records)
    } else {
      try OutputFile.remove(partial)
    }
    try syncDirectory()
  }

  private func makeText(
    _ make: (FileDescriptor, FileDescriptor) throws(Errno) -> Void
  ) throws(OutputError) {
    let descriptor = try OutputFile.make(text)
    do throws(Errno) {
      defer { close(descriptor) }
      take(over: descriptor)
      if lseek(present, 0, SEEK_SET) != 0 { throw Errno(rawValue: errno) }
      try make(FileDescriptor(rawValue: present), FileDescriptor(rawValue: descriptor))
      let error = OutputSync.retried { fsync(descriptor) }
      if error != 0 { throw Errno(rawValue: error) }
    } catch {
      try? OutputFile.remove(text)
      throw OutputError(text, .system(error))
    }
  }

  private func finishSync() throws(OutputError) {
    do throws(Errno) {
      try sync?.finish()
    } catch {
      throw OutputError(partial, .system(error))
    }
  }

  private func syncDirectory() throws(OutputError) {
    let error = OutputSync.writeBack(directory: directory)
    if error != 0 { throw OutputError(systemOf: directory, error) }
  }

  private func replacePartial() throws(OutputError) {
    try OutputFile.move(next, to: partial)
  }

  private func closeAll() {
    try? sync?.finish()
    sync = nil
    for descriptor in [former, present] where descriptor >= 0 {
      // Said, since a child that is about to become another program may still
      // have the descriptor, and the lock would go with that.
      _ = flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    (former, present) = (-1, -1)
  }

  /// Gives a file to whom the output that is there belongs, as `>` would leave
  /// it: as far as this user may.
  private func take(over descriptor: Int32, adding mode: mode_t = 0) {
    guard let ownership else { return }
    if fchown(descriptor, ownership.st_uid, ownership.st_gid) == 0
      || ownership.st_uid == geteuid()
    {
      _ = fchmod(descriptor, ownership.st_mode & 0o777 | mode)
    }
  }
}
