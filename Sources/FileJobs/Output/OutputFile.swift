// An output file that appears complete or not at all.
//
// DESIGN. An output M has up to six companions in its directory:
//
//     M.partial       the records of the files that the present run has read, as mtree(5); locked
//     M.partial.next  the future M.mtree of a run that does not read all files
//     M.partial.text  the future M
//     M.mtree         the records of the M that exists: its ledger
//     M.old           the M before the last update, and M.old.mtree its ledger
//
// A run that reads all files writes its records in their order, and M.partial becomes M.mtree. Any
// other run, an update or one that continues another, appends what it reads to M.partial, in any
// order and with several records of a name: each is a content that was read, and no verdict. At its
// end it writes M.partial.next and M.partial.text from its plan; if these are M.mtree and M, all files
// stay as they are. So M.partial only grows, nothing in it is ever lost, and nothing has to be merged.
// A run can end between any two of its calls. What exists then:
//
//  - Before the first line of M.partial is complete: nothing is recorded, and the next
//    run begins anew.
//  - While records are appended: a beginning of the records, the last line cut. After a
//    machine crash: what was written back last and, after it, lines, zeros, or a part of
//    either. Reading stops at the first unreadable line, and the next run goes on there. (A file
//    system that shows old blocks of other files after a crash could show a complete line of an old
//    manifest. None does by default; and that line would have to agree with a file in name, size
//    and time to be used.)
//  - At any time, a part of M.partial.text and of M.partial.next. No run uses those of another:
//    each makes them anew.
//  - M is renamed before M.mtree. Between the two, M is complete, and a run that resumes finds all
//    files known, reads nothing and makes the same M. In the opposite order it would find no
//    records and read everything again.
//  - M gets the name M.old too before the new M replaces it, so M exists at any time. Where
//    the file system has no hard links, it is renamed, and a run that resumes makes M.
//  - A rename is durable once the directory is written back. A machine that crashes
//    earlier may have the old name or the new one: both are states as above.
//
// The lock is flock(2), which the kernel releases however the process ends. It is on the
// file M.partial itself: a run locks the file that it has opened, then checks that the
// name still leads to that file, since the earlier run may have renamed or removed it
// meanwhile. A separate lock file would have to be left over or removed, with the same care.
//
// A full disk, or a limit on file size, is an error of write(2) like any other: the
// records stay, and so does the old M.

internal import WeirLibC
package import SystemPackage
internal import Weir

/// The output of a run, and its companion files during the run.
///
/// @unchecked Sendable: one thread at a time begins, appends and ends.
package final class OutputFile: @unchecked Sendable {
  /// The path of the output, with symbolic links resolved.
  package let path: [UInt8]
  /// The path of the records until the run has ended.
  package let partial: [UInt8]
  /// The path of the records of the existing output.
  package let records: [UInt8]
  let old: [UInt8]
  let oldRecords: [UInt8]
  let next: [UInt8]
  let text: [UInt8]
  private let directory: [UInt8]
  private let interval: Double

  /// The file `partial`, which is locked.
  private var current: FileDescriptor?
  private var hasBegun = false
  /// True if this run has appended records to `partial`.
  package private(set) var hasRecords = false
  /// True if `partial` has records of a run that this one continues.
  private var isResumed = false
  /// The future output and the future ledger, once they were begun.
  private var manifest: OutputManifest?
  private var ledger: OutputManifest?
  private var sync: FileSync?
  /// The status of the existing output; the new one gets its owner and mode.
  private let status: stat?

  /// The seconds between two times that records are written back.
  package static let interval = 3.0

  /// Checks the path of an output. Nothing is created or changed. Throws an error if it is a
  /// directory or a special file, or its directory does not exist, for example.
  package init(
    _ name: [UInt8], interval: Double = OutputFile.interval
  ) throws(Fault) {
    self.interval = interval
    path = try ReplacingFile.resolved(name)
    partial = path + ".partial".utf8
    next = path + ".partial.next".utf8
    text = path + ".partial.text".utf8
    records = path + ".mtree".utf8
    old = path + ".old".utf8
    oldRecords = path + ".old.mtree".utf8
    directory = path.directory
    status = try ReplacingFile.status(ofFile: path)
    if withPath(directory, { access($0, W_OK | X_OK) }) != 0 {
      throw Fault(name, .system(Errno(rawValue: errno)))
    }
    _ = try ReplacingFile.resolved(records)
  }

  deinit {
    removeEmptyPartial()
    closeAll()
  }

  // MARK: Beginning

  /// Checks that a run would replace none of the files beside the output that it has not written.
  /// The arguments are those of ``finish(keepsRecords:keepsFormer:willReplace:)``. Throws
  /// `notOurs`.
  package func check(keepsRecords: Bool = true, keepsFormer: Bool = false) throws(Fault) {
    try OutputFile.expectOurs(partial, isOurs: LedgerHeader.begins(with:))
    try OutputFile.expectOurs(next, isOurs: LedgerHeader.begins(with:))
    if keepsRecords { try OutputFile.expectOurs(records, isOurs: LedgerHeader.begins(with:)) }
    if keepsFormer {
      // An update takes the output of any program, and its former output is no other.
      try OutputFile.expectOurs(old) { _ in isManifest(old) }
      try OutputFile.expectOurs(oldRecords, isOurs: LedgerHeader.begins(with:))
    }
  }

  /// Checks that the output is a manifest by the run's algorithms, or has nothing to lose. One that
  /// this user may not read passes.
  package func expectManifest(of algorithms: [DigestAlgorithm]) throws(Fault) {
    do throws(Fault) {
      try OutputFile.expectOurs(path, or: .noManifest) { _ in isManifest(path, of: algorithms) }
    } catch {
      if error.reason != .system(.permissionDenied) { throw error }
    }
  }

  /// Checks and locks the output, with the arguments of
  /// ``finish(keepsRecords:keepsFormer:willReplace:)``. Returns true if an unfinished run has left
  /// records. Throws `notOurs`, or an error if another run holds the lock.
  package func lock(keepsRecords: Bool = true, keepsFormer: Bool = false) throws(Fault) -> Bool {
    try check(keepsRecords: keepsRecords, keepsFormer: keepsFormer)
    let hasPartial = try ReplacingFile.status(ofFile: partial) != nil
    let locked = try OutputFile.lock(partial)
    current = locked
    let status = try Fault.of(partial, try stat(of: locked))
    // Left beside records by a run that did not end itself. Before the lock it can be that of a
    // present run.
    try OutputFile.expectOurs(text, or: .leftText) {
      hasPartial && OutputFile.canBegin(textWith: $0)
    }
    try OutputFile.remove(text)
    return status.st_size > 0
  }

  package var isUnfinished: Bool {
    get throws(Fault) { try ReplacingFile.status(ofFile: partial)?.st_size ?? 0 > 0 }
  }

  /// True if there is an output that is not blank.
  package var isThere: Bool {
    get throws(Fault) {
      guard try ReplacingFile.status(ofFile: path) != nil else { return false }
      // One that this user may not read is another user's.
      let opened: FileDescriptor
      do throws(Errno) {
        opened = try openFile(path, O_RDONLY)
      } catch {
        if error == .permissionDenied { return false }
        throw Fault(path, .system(error))
      }
      defer { close(opened.rawValue) }
      return try !OutputFile.isBlank(opened, of: path)
    }
  }

  /// The first line of the unfinished run's records; `nil` if it is incomplete.
  package func previousHeaderLine() throws(Fault) -> [UInt8]? {
    try current.flatMap { (file) throws(Fault) in
      try OutputFile.firstLine(file, of: partial)
    }
  }

  /// Returns true if records without a complete first line come from a run that was
  /// cut short at its beginning: a part of such a line, or zeros after a machine crash.
  package func isPreviousHeaderCut() throws(Fault) -> Bool {
    guard let current else { return false }
    let begin = try OutputFile.beginning(current, of: partial)
    if LedgerHeader.canBegin(with: begin) { return true }
    return try OutputFile.isBlank(current, of: partial)
  }

  package func error(_ reason: Fault.Reason) -> Fault {
    Fault(partial, reason)
  }

  /// Begins a run without any records; the first line has its newline. Without a ledger of its own
  /// (`beginOutput`), these become the ledger.
  package func begin(with line: [UInt8]) throws(Fault) {
    try OutputFile.remove(next)
    try start(at: 0)
    try line.withUnsafeBufferPointer { (line) throws(Fault) in
      try append(records: UnsafeRawBufferPointer(line))
    }
    hasRecords = false
  }

  /// Begins a run that continues another one. Returns a descriptor of that run's records, valid until
  /// the end of this run, which appends its own.
  ///
  /// - Parameter end: Returns the offset after the last readable record.
  func resume(
    after end: (_ records: FileDescriptor) throws(Errno) -> Int64
  ) throws(Fault) -> FileDescriptor {
    guard let current else { fatalError("an output is resumed once, after it was locked") }
    isResumed = true
    try start(at: try Fault.of(partial, try end(current)))
    return current
  }

  private func start(at offset: Int64) throws(Fault) {
    guard let current else { fatalError("an output is begun once, after it was locked") }
    hasBegun = true
    // A run that resumes has to write to the file, whatever mode the output has.
    copyOwnership(to: current, adding: S_IRUSR | S_IWUSR)
    do throws(Errno) {
      try retryingOnInterrupt { ftruncate(current.rawValue, off_t(offset)) }
      if lseek(current.rawValue, off_t(offset), SEEK_SET) < 0 { throw Errno(rawValue: errno) }
    } catch let reason {
      throw error(.system(reason))
    }
    sync = FileSync(current, directory: directory, interval: interval)
  }

  /// Begins the future output, and the future ledger if the records of the run are not that. From
  /// here on a walk can find them, as own files.
  ///
  /// `line` is the first line of the ledger, with its newline; `nil` if there is none.
  package func beginOutput(with bytes: [UInt8], ledger line: [UInt8]?) throws(Fault) {
    manifest = try makeManifest(text, bytes)
    if let line { ledger = try makeManifest(next, line) }
  }

  private func makeManifest(_ name: [UInt8], _ bytes: [UInt8]) throws(Fault) -> OutputManifest {
    let descriptor = try OutputFile.create(name)
    // It may be opened again to write, whatever mode the output has.
    copyOwnership(to: descriptor, adding: S_IRUSR | S_IWUSR)
    return try Fault.attributing(to: name) { () throws(Errno) in
      let made = try OutputManifest(descriptor, name: name)
      try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
        try made.append(UnsafeRawBufferPointer(bytes))
      }
      return made
    }
  }

  // MARK: Files that are not input

  /// Calls `body` with descriptors of the files that the run must not read: the output and its
  /// companions. Those that are opened here are closed when `body` returns. `opened` may be open on
  /// one of them.
  package func withOwnFiles<R, E: Error>(
    besides opened: FileDescriptor?, _ body: ([FileDescriptor]) throws(E) -> R
  ) throws(E) -> R {
    let own = [current, opened].compactMap { $0 }
    let known = own.compactMap { try? FileIdentity(stat(of: $0)) }
    let others = [path, records, next, text, old, oldRecords].filter { name in
      (try? stat(of: name)).map { !known.contains(FileIdentity($0)) } ?? false
    }.compactMap { try? openFile($0, openPathOnly) }
    defer { for descriptor in others { close(descriptor.rawValue) } }
    return try body(own + others)
  }

  /// Returns true if a name leads to the output or to one of its companions.
  package func isOwn(_ name: [UInt8]) -> Bool {
    (try? stat(of: name)).map(isOwn) ?? false
  }

  /// Returns true if a descriptor is open on the output or on one of its companions.
  package func isOwn(_ descriptor: FileDescriptor) -> Bool {
    (try? stat(of: descriptor)).map(isOwn) ?? false
  }

  private var all: [[UInt8]] { [path, partial, next, text, records, old, oldRecords] }

  private func isOwn(_ status: stat) -> Bool {
    all.contains { name in
      (try? stat(of: name)).map { FileIdentity($0) == FileIdentity(status) } ?? false
    }
  }

  /// Returns true if a name is that of the output or of a companion, also if the file
  /// does not exist yet.
  package func isNamed(by name: [UInt8]) -> Bool {
    guard let other = try? ReplacingFile.resolved(name) else { return false }
    if isOwn(other) { return true }
    guard let place = FilePlace(other) else { return false }
    return all.contains { FilePlace($0) == place }
  }

  // MARK: Recording

  package func append(records bytes: UnsafeRawBufferPointer) throws(Fault) {
    if bytes.isEmpty { return }
    try Fault.attributing(to: partial) { () throws(Errno) in
      try current?.write(all: bytes)
      hasRecords = true
      sync?.markDirty()
      if let failure = sync?.failure { throw failure }
    }
  }

  /// Appends to the future output, and to the future ledger if there is one.
  package func append(
    manifest lines: UnsafeRawBufferPointer, ledger records: UnsafeRawBufferPointer
  ) throws(Fault) {
    try Fault.attributing(to: text) { () throws(Errno) in try manifest?.append(lines) }
    try Fault.attributing(to: next) { () throws(Errno) in try ledger?.append(records) }
  }

  /// True if the future output and the future ledger are those that exist: an update of what was open
  /// before, or of PATHs in another order.
  package var isUnchanged: Bool {
    get throws(Fault) {
      if isResumed { return false }
      try Fault.of(text, try manifest?.flush())
      try Fault.of(next, try ledger?.flush())
      if ledger != nil, try !OutputFile.haveSameBytes(records, next) { return false }
      return try OutputFile.haveSameBytes(path, text)
    }
  }

  package var syncCount: Int { sync?.count ?? 0 }

  // MARK: Ending

  /// Writes the records back, and leaves them for a run that resumes.
  package func suspend() throws(Fault) {
    defer { closeAll() }
    try finishSync()
  }

  /// Replaces the output.
  ///
  /// - Parameters:
  ///   - keepsRecords: True if the records stay beside the output, as `M.mtree`.
  ///   - keepsFormer: True if the output that is replaced stays beside it, as `M.old`, with its
  ///     records.
  ///   - willReplace: Called before the output changes. If the run ends up to then, the
  ///     old output stays, and so do the records.
  package func finish(
    keepsRecords: Bool, keepsFormer: Bool = false, willReplace: () -> Void = {}
  ) throws(Fault) {
    defer { closeAll() }
    // The disk writes the files at the same time.
    sync?.beginEnd()
    let written = Result { () throws(Fault) in try writeBack() }
    try finishSync()
    try written.get()
    guard let current else { fatalError("an output is finished once, after it was begun") }
    try OutputFile.expect(current, at: partial)
    guard let manifest else { fatalError("an output is finished after its manifest was begun") }
    if !manifest.isInPlace { throw Fault(text, .replaced) }
    if ledger?.isInPlace == false { throw Fault(next, .replaced) }
    try Fault.of(text, try manifest.withDescriptor { copyOwnership(to: $0) })
    willReplace()
    if keepsFormer { try keepFormer(withRecords: keepsRecords, isResumed: isResumed) }
    try OutputFile.move(text, to: path)
    self.manifest = nil
    try syncDirectory()
    // Once M.partial has lost its name, another run may make one: it loses it once.
    if keepsRecords && ledger == nil {
      copyOwnership(to: current)
      try OutputFile.move(partial, to: records)
    } else {
      try moveLedger(isKept: keepsRecords)
      try OutputFile.remove(partial)
    }
    try syncDirectory()
  }

  private func moveLedger(isKept: Bool) throws(Fault) {
    guard isKept, let ledger else { return }
    try Fault.of(next, try ledger.withDescriptor { copyOwnership(to: $0) })
    try OutputFile.move(next, to: records)
    self.ledger = nil
  }

  /// Leaves the output as it was, and the records only if a run was continued. Does nothing after the
  /// end: the records of that name may be those of another run.
  package func discard() throws(Fault) {
    guard let current else { return }
    defer { closeAll() }
    removeManifests()
    if isResumed { return try finishSync() }
    sync?.abandon()
    try OutputFile.expect(current, at: partial)
    try OutputFile.remove(partial)
  }

  private func writeBack() throws(Fault) {
    try Fault.of(text, try manifest?.writeBack())
    try Fault.of(next, try ledger?.writeBack())
  }

  private func finishSync() throws(Fault) {
    try Fault.attributing(to: partial) { () throws(Errno) in try sync?.finish() }
  }

  private func syncDirectory() throws(Fault) {
    try Fault.of(directory, try FileSync.writeBack(directory: directory))
  }

  private func closeAll() {
    try? sync?.finish()
    sync = nil
    removeManifests()
    if let current {
      // Explicitly: a child between fork and exec may still have the descriptor and
      // would keep the lock.
      _ = flock(current.rawValue, LOCK_UN)
      close(current.rawValue)
    }
    current = nil
  }

  /// Removes the future output and the future ledger, unless they have become these.
  private func removeManifests() {
    if manifest?.isInPlace == true { try? OutputFile.remove(text) }
    if ledger?.isInPlace == true { try? OutputFile.remove(next) }
    (manifest, ledger) = (nil, nil)
  }

  /// Removes the records of a run that ended between its lock and its first line.
  private func removeEmptyPartial() {
    guard !hasBegun, let current, (try? stat(of: current))?.st_size == 0,
      (try? OutputFile.expect(current, at: partial)) != nil
    else { return }
    try? OutputFile.remove(partial)
  }

  private func copyOwnership(to descriptor: FileDescriptor, adding mode: mode_t = 0) {
    if let status { descriptor.copyOwnership(of: status, adding: mode) }
  }
}
