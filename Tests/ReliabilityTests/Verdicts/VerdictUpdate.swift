// What an update has to say and to record.

import TestSupport

struct VerdictUpdate {
  /// The records after the update.
  private(set) var records: [[UInt8]: VerdictFile] = [:]
  private(set) var gone: Set<[UInt8]> = []
  /// The names by the word of the report.
  private var report: [String: Set<[UInt8]>] = [:]
  private var rotten: Set<[UInt8]> = []
  private let readsAll: Bool
  private let acceptsRot: Bool
  private let former: [[UInt8]: VerdictFile]
  private var moved = 0
  /// True if more than half of the records are gone. A record that the report moves is not gone.
  var losesMost: Bool { (gone.count - moved) * 2 > former.count }

  init(
    _ manifest: VerdictManifest, _ selection: VerdictSelection, in place: VerdictPlace,
    readsAll: Bool, acceptsRot: Bool
  ) {
    self.readsAll = readsAll
    self.acceptsRot = acceptsRot
    former = manifest.records
    gone = Set(manifest.records.keys).subtracting(selection.names)
    for word in ["new", "edited", "touched"] { report[word] = [] }
    report["gone"] = gone
    for name in selection.names {
      guard let file = place.files[name] else { continue }
      records[name] = file
      guard let record = manifest.records[name] else {
        report["new", default: []].insert(name)
        continue
      }
      switch VerdictManifest.change(from: record, to: file, place) {
      case .none: break
      case .touched: if manifest.hasTimes { report["touched", default: []].insert(name) }
      case .edited: report["edited", default: []].insert(name)
      case .rot where !manifest.hasTimes: report["edited", default: []].insert(name)
      case .rot:
        rotten.insert(name)
        if !acceptsRot { records[name] = record }
      }
    }
  }

  /// Compares the report and the exit status of an update that replaced the manifest. A rotten file
  /// that was not read may be absent from the report: its record stays, and a check finds it.
  mutating func compare(_ outcome: Outcome, in place: VerdictPlace) throws {
    var found: [String: Set<[UInt8]>] = [:]
    for word in report.keys { found[word] = [] }
    var rotAtNewNames: Set<[UInt8]> = []
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      if let move = takeMove(line, in: place) {
        found["gone", default: []].insert(move.old)
        found["new", default: []].insert(move.new)
        if move.isRotten { rotAtNewNames.insert(move.new) }
        continue
      }
      guard let answer = VerdictTexts.answer(line) else { continue }
      let name = place.canonical(VerdictTexts.unquoted(answer.name))
      if !found[answer.words, default: []].insert(name).inserted {
        throw FalseVerdict("update: report", "\(shellWord(name)) stands twice in the report")
      }
    }
    let isForgotten = !(found["new"] ?? []).isDisjoint(with: found["gone"] ?? [])
    let rot = (found.removeValue(forKey: "rot") ?? []).union(rotAtNewNames)
    rotten.formUnion(rotAtNewNames)
    for word in Set(found.keys).union(report.keys).sorted() {
      let wrong = (found[word] ?? []).symmetricDifference(report[word] ?? [])
      guard wrong.isEmpty else {
        throw FalseVerdict(
          isForgotten ? "update: new and gone" : "update: report, \(word)",
          "found \((found[word] ?? []).map(shellWord)), expected "
            + "\((report[word] ?? []).map(shellWord)); status \(outcome.status ?? -1)\n"
            + "\(outcome.outputText)\(outcome.errorText)")
      }
    }
    guard readsAll ? rot == rotten : rot.isSubset(of: rotten) else {
      throw FalseVerdict(
        "update: rot", "found \(rot.map(shellWord)), expected \(rotten.map(shellWord))")
    }
    let status: Int32 = rot.isEmpty || acceptsRot ? 0 : 1
    guard outcome.status == status else {
      throw FalseVerdict(
        "update: status \(outcome.status ?? -1)", "expected \(status)\n\(outcome.errorText)")
    }
  }

  /// Takes a line `OLD: moved to NEW`: the name of a record that has no file, and that of a file
  /// without a record. The record is now that of the file.
  private mutating func takeMove(
    _ line: ArraySlice<UInt8>, in place: VerdictPlace
  ) -> (old: [UInt8], new: [UInt8], isRotten: Bool)? {
    for (words, isRotten) in [(": moved to ", false), (": rot, moved to ", true)] {
      let separator = Array(words.utf8)
      for index in line.indices where line[index...].starts(with: separator) {
        let old = place.canonical(VerdictTexts.unquoted(Array(line[..<index])))
        let rest = Array(line[(index + separator.count)...])
        let new = place.canonical(VerdictTexts.unquoted(rest))
        guard gone.contains(old), report["new"]?.contains(new) == true else { continue }
        moved += 1
        if !(isRotten && acceptsRot) { records[new] = former[old] }
        return (old, new, isRotten)
      }
    }
    return nil
  }
}
