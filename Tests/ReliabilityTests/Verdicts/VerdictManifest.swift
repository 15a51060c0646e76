// A manifest, the records that it must have, and the verdicts that follow.

import TestSupport

/// How lines are written.
struct VerdictForm {
  var isMtree = false
  var isZero = false
  var isTagged = false
  var algorithms = ["sha256"]

  /// The options of `weir hash`.
  var options: [[UInt8]] {
    words("-a", algorithms.joined(separator: ",")) + (isMtree ? words("--format", "mtree") : [])
      + (isZero ? words("-z") : []) + (isTagged ? words("--tag") : [])
  }

  /// A random form; NUL and tags are only for lines of text.
  static func random(_ random: inout SeededGenerator) -> VerdictForm {
    var form = VerdictForm()
    form.isMtree = Int.random(in: 0..<4, using: &random) == 0
    form.isZero = !form.isMtree && Int.random(in: 0..<3, using: &random) == 0
    form.isTagged = !form.isMtree && Int.random(in: 0..<4, using: &random) == 0
    if Int.random(in: 0..<3, using: &random) == 0 {
      form.algorithms = Array(
        Self.algorithms.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    }
    return form
  }

  static let algorithms = [
    "sha256", "md5", "sha1", "sha224", "sha384", "sha512", "blake2b", "blake3", "xxh64", "xxh3",
    "xxh128",
  ]
}

struct VerdictManifest {
  let path: [UInt8]
  var form: VerdictForm
  /// What each record must say.
  var records: [[UInt8]: VerdictFile]
  /// True if sizes and times are recorded, in the file itself or in its companion.
  var hasTimes: Bool

  var companion: [UInt8] { path + Array(".mtree".utf8) }

  /// The options of `weir check` for the file itself.
  var checkOptions: [[UInt8]] {
    (form.isZero ? words("-z") : [])
      + (form.algorithms.count == 1 && !form.isTagged && !form.isMtree
        ? words("-a", form.algorithms[0]) : [])
  }

  /// The verdict on each record. Lines of text know contents alone.
  func verdicts(in place: VerdictPlace, byTimes: Bool) -> [[UInt8]: String] {
    var verdicts: [[UInt8]: String] = [:]
    for (name, record) in records {
      guard let file = place.files[name] else {
        verdicts[name] = "missing"
        continue
      }
      let change = Self.change(from: record, to: file, place)
      switch change {
      case .none: verdicts[name] = "ok"
      case .touched: verdicts[name] = byTimes ? "touched" : "ok"
      case .edited, .rot: verdicts[name] = byTimes ? "\(change)" : "failed"
      }
    }
    return verdicts
  }

  enum Change { case none, touched, edited, rot }

  static func change(from record: VerdictFile, to file: VerdictFile, _ place: VerdictPlace)
    -> Change
  {
    let contents = place.contents.all
    if file.content == record.content { return file.time == record.time ? .none : .touched }
    let isSameSize = contents[file.content].count == contents[record.content].count
    return isSameSize && file.time == record.time ? .rot : .edited
  }
}

/// Files that a run takes, as its arguments say.
struct VerdictSelection {
  /// The arguments: PATHs or the list.
  var arguments: [[UInt8]]
  var names: Set<[UInt8]>

  /// Makes arguments for top-level names, in an order and a spelling of their own.
  static func random(
    _ roots: [[UInt8]], in place: VerdictPlace, named listName: String,
    _ random: inout SeededGenerator
  ) throws -> VerdictSelection {
    let slash = UInt8(ascii: "/")
    func isBelow(_ name: [UInt8]) -> Bool {
      roots.contains { name == $0 || name.starts(with: $0 + [slash]) }
    }
    let names = Set(place.files.keys.filter(isBelow))
    let all = Set(place.files.keys.map { $0.prefix { $0 != slash } })
    let isList = Int.random(in: 0..<3, using: &random) == 0
    if !isList && all.count == roots.count && Int.random(in: 0..<4, using: &random) == 0 {
      let tree = place.spelled(Array(".".utf8))
      let all = [tree] + [[UInt8]](["/", "//.", "/./"].map { tree + $0.utf8 }) + [place.tree]
      return VerdictSelection(
        arguments: [random.choose(all)], names: names)
    }
    var items = roots
    if isList && Int.random(in: 0..<4, using: &random) > 0 {
      items = names.sorted { $0.lexicographicallyPrecedes($1) }
    }
    if Bool.random(using: &random) { items.shuffle(using: &random) }
    let style = Int.random(in: 0..<10, using: &random)
    let spelled = items.map { item -> [UInt8] in
      let isFile = place.files[item] != nil
      let own = place.spelled(item)
      switch style == 9 ? Int.random(in: 0..<9, using: &random) : style {
      case 5: return Array("./".utf8) + own
      case 6 where !isFile: return own + [slash]
      case 7: return place.tree + [slash] + item
      case 8: return Array(".//".utf8) + own + (isFile ? [] : Array("//.".utf8))
      default: return own == [UInt8(ascii: "-")] && !isList ? Array("./-".utf8) : own
      }
    }
    guard isList else { return VerdictSelection(arguments: words("--") + spelled, names: names) }
    let isByLine =
      !items.contains { $0.contains(UInt8(ascii: "\n")) } && Bool.random(using: &random)
    let end: UInt8 = isByLine ? UInt8(ascii: "\n") : 0
    let list = place.directory.path("m/" + listName)
    try place.keep(spelled.flatMap { $0 + [end] }, as: list, showing: true)
    return VerdictSelection(
      arguments: words(isByLine ? "--files-from" : "--files0-from") + [list], names: names)
  }
}
