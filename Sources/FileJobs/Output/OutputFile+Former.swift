// The output and the ledger before an update, as M.old and M.old.mtree, and the way back to them.

internal import Weir
internal import WeirLibC

extension OutputFile {
  static func text(ofLedger name: [UInt8]) -> [UInt8] {
    name.count > 6 && name.suffix(6).elementsEqual(".mtree".utf8) ? Array(name.dropLast(6)) : name
  }

  /// Returns the way out if a ledger cannot be used: the manifest before the last update, if that is
  /// kept. No way is recommended by which rot would be recorded as an edit.
  static func wayOut(ofLedger name: [UInt8]) -> Message {
    // A manifest of mtree(5) may have the name of a ledger; then no manifest is beside it.
    let text = text(ofLedger: name)
    let isLedger = text != name && identity(text) != nil
    let old = (isLedger ? text : name) + ".old".utf8
    let kept = [old, old + ".mtree".utf8].prefix(isLedger ? 2 : 1).filter { identity($0) != nil }
    var ways: Message = "restore it"
    for (place, name) in kept.enumerated() {
      ways = ways + (place == 0 ? ", or go back to \(name)" : " and \(name)")
    }
    return ways + "; without it rot is not told from an edit"
  }

  /// Returns the path of the manifest that a ledger belongs to, if a run was interrupted after it had
  /// replaced the manifest and before it replaced the ledger, which has two names then; `nil` otherwise.
  static func former(ofLedger name: [UInt8]) -> [UInt8]? {
    let text = text(ofLedger: name)
    let old = text + ".old".utf8
    let hasTwoNames = identity(name) != nil && identity(name) == identity(old + ".mtree".utf8)
    return hasTwoNames && identity(old) != nil && identity(old) != identity(text) ? old : nil
  }

  private static func identity(_ name: [UInt8]) -> FileIdentity? {
    (try? stat(of: name, followsLinks: false)).map { FileIdentity($0) }
  }

  /// Gives the output and its records the names of the former ones. Records that this run does not
  /// replace keep their name.
  ///
  /// A run that was interrupted after these names may have replaced the output too, and the records,
  /// so the former names stay if the records have both names, or if both are the new ones.
  func keepFormer(withRecords: Bool, isResumed: Bool) throws(Fault) {
    if OutputFile.identity(path) == nil { return }
    let kept = withRecords ? OutputFile.identity(records) : nil
    let isKept = kept != nil && kept == OutputFile.identity(oldRecords)
    if isKept && OutputFile.identity(old) != nil { return }
    if isResumed, try OutputFile.haveSameBytes(path, text) {
      if kept == nil { return }
      if try OutputFile.haveSameBytes(records, next) { return }
    }
    for (name, former) in [(path, old), (records, oldRecords)] {
      try OutputFile.remove(former)
      guard withRecords || name == path, OutputFile.identity(name) != nil else { continue }
      let isLinked = withPath(name) { name in withPath(former) { link(name, $0) == 0 } }
      if !isLinked { try OutputFile.move(name, to: former) }
    }
  }
}
