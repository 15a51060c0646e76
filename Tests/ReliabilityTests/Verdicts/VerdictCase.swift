// One case: a tree is hashed, damaged, checked, audited and updated. The oracle is a dictionary of
// the names and what is in the files.

import TestSupport

final class VerdictCase {
  let place: VerdictPlace
  var random: SeededGenerator
  /// How often each verdict was seen.
  private(set) var counts: [String: Int] = [:]
  private let contents: VerdictContents
  private var roots: [[UInt8]] = []
  private let slash = UInt8(ascii: "/")

  init(_ random: SeededGenerator, _ contents: VerdictContents) throws {
    self.random = random
    self.contents = contents
    place = try VerdictPlace(contents)
  }

  /// Runs the case; throws the first false verdict.
  func run() throws {
    try makeTree()
    guard !roots.isEmpty, var manifest = try hash() else { return }
    try check(manifest)
    for round in 0..<2 where !manifest.records.isEmpty {
      for _ in 0..<chance(4) { try damage() }
      try check(manifest)
      guard round == 0 || oneIn(2) else { return }
      try update(&manifest, round)
      try check(manifest)
    }
  }

  private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private func oneIn(_ count: Int) -> Bool { chance(count) == 0 }
  private func count(_ verdict: String) { counts[verdict, default: 0] += 1 }

  // MARK: The tree

  private func makeTree() throws {
    let names = VerdictNames(contents: contents)
    let isFlat = oneIn(6)
    for _ in 0...chance(3) {
      let root = oneIn(3) ? names.path(&random) : [random.choose(Array("tuvw".utf8))]
      if root == [slash] { continue }
      for _ in 0...chance(4) {
        var below = names.path(&random)
        // A directory in one of the same name, for updates from another directory.
        if oneIn(3) {
          below = root + [slash] + (oneIn(2) ? below : [random.choose(Array("ab".utf8))])
        }
        let name = isFlat ? below : oneIn(5) ? root : root + [slash] + below
        if !VerdictNames.isAmbiguous(name) { try place.write(name, anyFile()) }
      }
    }
    roots = topNames()
  }

  private func topNames() -> [[UInt8]] {
    Set(place.files.keys.map { Array($0.prefix { $0 != slash }) })
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func anyFile() -> VerdictFile {
    VerdictFile(content: oneIn(3) ? 0 : chance(contents.all.count), time: place.nextTime())
  }

  private func damage() throws {
    let sorted = place.files.keys.sorted { $0.lexicographicallyPrecedes($1) }
    guard let name = sorted.randomElement(using: &random), var file = place.files[name] else {
      return
    }
    switch chance(7) {
    case 0, 1:
      let others = contents.all.indices.filter {
        $0 != file.content && contents.all[$0].count == contents.all[file.content].count
      }
      guard let other = others.randomElement(using: &random) else { return }
      file.content = other
      try place.write(name, file)
    case 2: try place.write(name, anyFile())
    case 3:
      file.time = place.nextTime()
      try place.write(name, file)
    case 4: place.remove(name)
    default:
      let top = Array(name.prefix { $0 != slash })
      let new = (oneIn(4) ? [] : top + [slash]) + VerdictNames(contents: contents).path(&random)
      guard place.files[new] == nil, !VerdictNames.isAmbiguous(new) else { return }
      let isMove = oneIn(2)
      try place.write(new, isMove ? file : anyFile())
      if isMove && place.files[new] != nil { place.remove(name) }
    }
  }

  // MARK: The manifest

  /// Makes a manifest of some of the tree; `nil` for one that is not read back.
  private func hash() throws -> VerdictManifest? {
    let chosen = oneIn(4) ? Array(roots.shuffled(using: &random).prefix(1)) : roots
    if oneIn(5) { return try hashWithOther(chosen) }
    let path = place.directory.path(oneIn(4) ? "w/MANIFEST" : "m/M")
    let form = VerdictForm.random(&random)
    let selection = try VerdictSelection.random(chosen, in: place, named: "list", &random)
    if oneIn(12) {
      try hashAsJSON(selection)
      return nil
    }
    let isFile = !oneIn(4)
    let outcome = try place.run(
      weirPath,
      words("hash") + form.options + (isFile ? words("-o") + [path] : []) + selection.arguments,
      outputName: isFile
        ? "" : " >\"$D\"/" + shellWord(path.dropFirst(place.directory.path.count + 1)))
    try expect(outcome, status: [0], "hash")
    if !isFile { try place.keep(outcome.output, as: path, showing: false) }
    count("hash, \(form.isMtree ? "mtree" : "text")\(isFile ? ", to a file" : ""): 0")
    return VerdictManifest(
      path: path, form: form, records: place.files.filter { selection.names.contains($0.key) },
      hasTimes: isFile || form.isMtree)
  }

  private func hashAsJSON(_ selection: VerdictSelection) throws {
    let outcome = try place.run(
      weirPath, words("hash", "--format", "json") + selection.arguments)
    try expect(outcome, status: [0], "hash")
    var found: [[UInt8]: String] = [:]
    for line in outcome.output.split(separator: UInt8(ascii: "\n"))
    where VerdictTexts.text("type", in: line) == "file" {
      let name = place.canonical(VerdictTexts.path("path", in: line) ?? [])
      found[name] = VerdictTexts.text("sha256", in: line)
    }
    var expected: [[UInt8]: String] = [:]
    for name in selection.names {
      expected[name] = String(
        decoding: contents.sha256[place.files[name]?.content ?? 0], as: UTF8.self)
    }
    try same(found, expected, "digests")
    count("hash, json: 0")
  }

  /// Makes a manifest with the tool that the format comes from.
  private func hashWithOther(_ chosen: [[UInt8]]) throws -> VerdictManifest? {
    let names = place.files.keys.filter { name in
      chosen.contains { name == $0 || name.starts(with: $0 + [slash]) }
    }.sorted { $0.lexicographicallyPrecedes($1) }
    let isPlain = names.allSatisfy { name in
      String(validating: name, as: UTF8.self) != nil
        && !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") }
    }
    let tool = random.choose(Self.others.filter { isPlain || !$0.wantsPlainNames })
    guard isInstalled(tool.program) else { return nil }
    var form = VerdictForm(isZero: tool.options.contains("-z"), isTagged: tool.isTagged)
    form.algorithms = [tool.algorithm]
    let path = place.directory.path("m/M")
    let prefix = Array((oneIn(3) ? "./" : "").utf8)
    // These tools take - for standard input.
    guard !names.contains(Array("-".utf8)) || !prefix.isEmpty else { return nil }
    let outcome = try place.run(
      Array(tool.program.utf8),
      tool.options.map { Array($0.utf8) } + words("--") + names.map { prefix + $0 },
      outputName: " >\"$D\"/m/M")
    try expect(outcome, status: [0], "hash")
    try place.keep(outcome.output, as: path, showing: false)
    count("hash, by \(tool.program): 0")
    return VerdictManifest(
      path: path, form: form, records: place.files.filter { names.contains($0.key) },
      hasTimes: false)
  }

  private struct Other {
    let program: String
    let options: [String]
    let algorithm: String
    var isTagged = false
    var wantsPlainNames = false
  }

  private static let others = [
    Other(program: "sha256sum", options: [], algorithm: "sha256"),
    Other(program: "sha256sum", options: ["-z"], algorithm: "sha256"),
    Other(program: "sha256sum", options: ["-b"], algorithm: "sha256"),
    Other(program: "sha256sum", options: ["--tag"], algorithm: "sha256", isTagged: true),
    Other(program: "sha256sum", options: ["--tag", "-z"], algorithm: "sha256", isTagged: true),
    Other(program: "md5sum", options: [], algorithm: "md5"),
    Other(program: "b2sum", options: [], algorithm: "blake2b"),
    Other(program: "b2sum", options: ["-z"], algorithm: "blake2b"),
    Other(program: "xxhsum", options: ["-H1"], algorithm: "xxh64", wantsPlainNames: true),
    Other(program: "xxhsum", options: ["-H2"], algorithm: "xxh128", wantsPlainNames: true),
    Other(
      program: "xxhsum", options: ["-H2", "--tag"], algorithm: "xxh128", isTagged: true,
      wantsPlainNames: true),
    Other(program: "b3sum", options: [], algorithm: "blake3", wantsPlainNames: true),
  ]

  // MARK: Checks

  /// Checks the manifest, and its companion, in a form of report chosen at random.
  private func check(_ manifest: VerdictManifest) throws {
    let hasCompanion = manifest.hasTimes && !manifest.form.isMtree
    if hasCompanion && oneIn(3) {
      try check(manifest, manifest.companion, options: [], byTimes: true)
    } else {
      try check(
        manifest, manifest.path, options: manifest.checkOptions, byTimes: manifest.form.isMtree)
    }
  }

  private func check(
    _ manifest: VerdictManifest, _ path: [UInt8], options: [[UInt8]], byTimes: Bool
  ) throws {
    let isAudit = oneIn(2) && place.here.isEmpty
    var arguments = words("check") + options
    // An audit skips a manifest that it knows: by its name.
    let isNamed = isAudit || oneIn(2)
    // A named manifest of text is verified with the records beside it.
    let byTimes = byTimes || isNamed && manifest.hasTimes
    let expected = manifest.verdicts(in: place, byTimes: byTimes)
    if isAudit { arguments += words("--audit", ".") }
    let isText = !isAudit && oneIn(3)
    if !isText { arguments += words("--format", "json") }
    let outcome = try place.run(
      weirPath, arguments + (isNamed ? [path] : []), input: isNamed ? nil : place.content(of: path),
      inputName: isNamed
        ? "" : " <\"$D\"/" + shellWord(path.dropFirst(place.directory.path.count + 1)))
    let isWrong = expected.values.contains { !["ok", "touched"].contains($0) }
    if !isAudit { try expect(outcome, status: [isWrong ? 1 : 0], "check") }
    if isText {
      try compareText(outcome, expected, byTimes: byTimes)
    } else if isAudit {
      try compareAudit(outcome, manifest, expected)
    } else {
      let found = try answers(outcome).mapValues { $0[0] }
      try same(found, expected, "wrong answers")
    }
    let kind = isAudit ? "audit" : "check"
    count("\(kind), \(byTimes ? "mtree" : "text"): \(outcome.status ?? -1)")
  }

  /// Returns the status of each name in a report of JSON lines.
  private func answers(_ outcome: Outcome) throws -> [[UInt8]: [String]] {
    var found: [[UInt8]: [String]] = [:]
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      guard let path = VerdictTexts.path("path", in: line),
        let type = VerdictTexts.text("type", in: line), ["file", "new", "moved"].contains(type)
      else { continue }
      let name = place.canonical(path)
      let status = VerdictTexts.text("status", in: line) ?? type
      if type == "moved" {
        let new = place.canonical(VerdictTexts.path("to", in: line) ?? [])
        found[new, default: []].append("place of \(shellWord(name))")
      }
      if found[name]?.contains(status) != true { found[name, default: []].append(status) }
    }
    for (name, statuses) in found where statuses.count > 1 {
      if statuses.allSatisfy({ $0.hasPrefix("place of") || $0 == "missing" }) { continue }
      throw FalseVerdict("report: two answers", "\(shellWord(name)): \(statuses)")
    }
    return found
  }

  private func compareText(_ outcome: Outcome, _ expected: [[UInt8]: String], byTimes: Bool) throws
  {
    let statuses = [
      "OK": "ok", "OK (touched)": "touched", "FAILED": "failed", "FAILED (edited)": "edited",
      "FAILED (rot)": "rot", "FAILED (missing)": "missing", "FAILED open or read": "missing",
    ]
    var found: [[UInt8]: String] = [:]
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      guard let answer = VerdictTexts.answer(line), let status = statuses[answer.words] else {
        throw FalseVerdict("report: a forged line", "\(shellWord(line))")
      }
      let literal = place.canonical(answer.name)
      let name =
        expected[literal] == nil ? place.canonical(VerdictTexts.unescaped(answer.name)) : literal
      found[name] = status
    }
    try same(found, expected, "wrong answers")
  }

  /// Compares the report of an audit. A missing file has moved if a new file has its content, and
  /// an empty one if it has its last component too.
  private func compareAudit(
    _ outcome: Outcome, _ manifest: VerdictManifest, _ expected: [[UInt8]: String]
  ) throws {
    let found = try answers(outcome)
    let new = place.files.filter { manifest.records[$0.key] == nil }
    func base(_ name: [UInt8]) -> [UInt8] { Array(name.split(separator: slash).last ?? []) }
    var places: Set<[UInt8]> = []
    var missing: [[UInt8]] = []
    var simple: [[UInt8]: String] = [:]
    for (name, statuses) in found {
      guard let record = manifest.records[name] else {
        if statuses == ["new"] || statuses.allSatisfy({ $0.hasPrefix("place of") }) {
          if statuses != ["new"] { places.insert(name) }
          if new[name] == nil {
            throw FalseVerdict("audit: not new", "\(shellWord(name)) is not new: \(statuses)")
          }
          continue
        }
        throw FalseVerdict("audit: not listed", "\(shellWord(name)) is not listed: \(statuses)")
      }
      if statuses == ["missing"] { missing.append(name) }
      guard statuses == ["moved"] else {
        simple[name] = statuses[0]
        continue
      }
      simple[name] = "missing"
      let target = found.first { $0.value.contains("place of \(shellWord(name))") }
      guard let target, let file = new[target.key], file.content == record.content else {
        throw FalseVerdict("audit: not moved", "\(shellWord(name)) has not moved there")
      }
    }
    try same(simple, expected, "wrong answers")
    try same(
      Set(found.keys).subtracting(manifest.records.keys), Set(new.keys), "new files")
    for name in missing {
      guard let record = manifest.records[name] else { continue }
      let isFound = new.contains { key, file in
        file.content == record.content && !places.contains(key)
          && (record.content != 0 || base(key) == base(name))
      }
      if isFound { throw FalseVerdict("audit: moved", "\(shellWord(name)) has moved") }
    }
    let isWrong =
      !missing.isEmpty || expected.values.contains { ["failed", "edited", "rot"].contains($0) }
    let status: Int32 = isWrong ? 1 : new.isEmpty && !expected.values.contains("missing") ? 0 : 4
    try expect(outcome, status: [status], "audit")
  }

  // MARK: Updates

  private func update(_ manifest: inout VerdictManifest, _ round: Int) throws {
    let now = topNames()
    let listed = now.filter { root in
      manifest.records.keys.contains { $0 == root || $0.starts(with: root + [slash]) }
    }
    let chosen = oneIn(8) ? now : oneIn(6) ? Array(listed.dropFirst()) : listed
    guard !chosen.isEmpty else { return }
    let former = place.here
    // Only records know the directory of their run.
    if manifest.hasTimes && !manifest.form.isMtree && oneIn(3) {
      let top = place.folders.filter { !$0.contains(slash) }
      place.here = random.choose(
        top.sorted { $0.lexicographicallyPrecedes($1) } + [[], Array("..".utf8)])
    }
    let selection = try VerdictSelection.random(chosen, in: place, named: "list\(round)", &random)
    var form = manifest.form
    if oneIn(8) { form.isZero = !form.isMtree && !form.isZero }
    if oneIn(8) { form.isTagged = !form.isMtree && !form.isTagged }
    if oneIn(12) { form.isMtree.toggle() }
    if form.isMtree { (form.isZero, form.isTagged) = (false, false) }
    let added = random.choose(VerdictForm.algorithms)
    let isWider = oneIn(8) && !form.algorithms.contains(added)
    if isWider { form.algorithms.append(added) }
    let acceptsRot = oneIn(5)
    var change = VerdictUpdate(
      manifest, selection, in: place, readsAll: isWider || acceptsRot, acceptsRot: acceptsRot)
    let allowsLoss = change.losesMost && oneIn(2)
    let before = [place.content(of: manifest.path), place.content(of: manifest.companion)]
    let outcome = try place.run(
      weirPath,
      words("hash", "--update") + (acceptsRot ? words("--accept-rot") : [])
        + (allowsLoss ? words("--max-gone", "100%") : []) + form.options
        + words("-o") + [manifest.path] + selection.arguments)
    let kind = "update, \(manifest.form.isMtree ? "mtree" : manifest.hasTimes ? "text" : "other")"
    count("\(kind): \(outcome.status ?? -1)")
    if outcome.status == 2 {
      let after = [place.content(of: manifest.path), place.content(of: manifest.companion)]
      if before != after || outcome.errors.isEmpty || !outcome.output.isEmpty {
        throw FalseVerdict(
          "update: refusal", "it changed the manifest, gave no reason, or announced changes")
      }
      count("refused: " + VerdictTool.reason(outcome.errorText))
      place.here = former
      return
    }
    try change.compare(outcome, in: place)
    let old = place.content(of: manifest.path + Array(".old".utf8))
    if before[0] != place.content(of: manifest.path), old != before[0] {
      throw FalseVerdict("update: former manifest", "it is not kept as it was")
    }
    if change.losesMost && !allowsLoss {
      throw FalseVerdict(
        "update: lost most records",
        "\(change.gone.count) of \(manifest.records.count) records were dropped")
    }
    manifest.records = change.records
    form.isMtree = place.content(of: manifest.path)?.starts(with: "#mtree".utf8) ?? false
    if form.isMtree { (form.isZero, form.isTagged) = (false, false) }
    manifest.form = form
    manifest.hasTimes = true
  }

  // MARK: Comparisons

  private func expect(_ outcome: Outcome, status: [Int32], _ what: String) throws {
    guard !status.contains(outcome.status ?? -1) else { return }
    throw FalseVerdict(
      "\(what): status \(outcome.status ?? -1)",
      """
      expected status \(status)
      \(outcome.outputText.prefix(1500))
      \(outcome.errorText.prefix(1500))
      """)
  }

  private func same(_ found: Set<[UInt8]>, _ expected: Set<[UInt8]>, _ what: String) throws {
    let wrong = found.symmetricDifference(expected)
    guard !wrong.isEmpty else { return }
    throw FalseVerdict(what, wrong.map(shellWord).joined(separator: " "))
  }

  private func same(
    _ found: [[UInt8]: String], _ expected: [[UInt8]: String], _ what: String
  ) throws {
    let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
    guard !wrong.isEmpty else { return }
    throw FalseVerdict(
      what,
      wrong.map {
        "\(shellWord($0)) is \(found[$0] ?? "not named"), expected \(expected[$0] ?? "no answer")"
      }.sorted().joined(separator: "; "))
  }
}
