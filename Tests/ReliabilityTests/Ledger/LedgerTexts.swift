// What the tool writes, read without its own readers: ledgers, manifests and reports.

import Foundation
import TestSupport

typealias Name = [UInt8]

struct FileClock: Hashable, Comparable {
  var seconds: Int
  var nanoseconds: Int

  static func < (left: FileClock, right: FileClock) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

struct LedgerRecord: Hashable {
  /// The path from the place of the history, whatever the spelling of the record is.
  var path: Name
  var size: Int
  var time: FileClock
  /// The hexadecimal digests by the names of their algorithms.
  var digests: [String: String]
  /// `rot` or `gone`, and the time since when; empty if nothing is open.
  var open = ""
  var since = ""
}

/// A ledger, or the records of an unfinished run.
struct LedgerText {
  /// The PATHs of the run that has written it.
  private(set) var inputs: [Name] = []
  private(set) var records: [LedgerRecord] = []
  /// The names of the records as they are spelled.
  private(set) var names: [Name] = []
  /// The targets of symbolic links, by their paths.
  private(set) var links: [Name: Name] = [:]

  /// Reads complete lines of mtree(5); the first one that is none ends the records.
  init(_ bytes: [UInt8], in place: Name) {
    var isBare = false
    var open = ("", "")
    let end = bytes.lastIndex(of: 10) ?? bytes.startIndex
    for line in bytes[..<end].split(separator: 10) {
      let words = line.split(separator: 32).map { LedgerText.unescaped($0) }
      guard let first = words.first else { return }
      let text = words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
      if first == Array("#weir".utf8), let word = text.first {
        if word == "bare" || word == "dotted" { isBare = word == "bare" }
        if word == "rot" || word == "gone" { open = (word, String(text.last?.dropFirst(6) ?? "")) }
      }
      if first.first == UInt8(ascii: "#") {
        inputs += words.compactMap { LedgerText.value("path=", of: $0) }
        continue
      }
      guard first.first == UInt8(ascii: ".") else { return }
      let name = isBare && first.count > 2 ? Array(first[2...]) : first
      let path = LedgerText.canonical(name, in: place)
      if let target = words.compactMap({ LedgerText.value("link=", of: $0) }).first {
        links[path] = target
      }
      guard text.first == "type=file" else { continue }
      var record = LedgerRecord(
        path: path, size: -1, time: FileClock(seconds: 0, nanoseconds: -1), digests: [:],
        open: open.0, since: open.1)
      open = ("", "")
      for word in text.dropFirst() {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return }
        switch parts[0] {
        case "size": record.size = Int(parts[1]) ?? -1
        case "time":
          let numbers = parts[1].split(separator: ".").compactMap { Int($0) }
          guard numbers.count == 2 else { return }
          record.time = FileClock(seconds: numbers[0], nanoseconds: numbers[1])
        default: record.digests[String(parts[0])] = String(parts[1])
        }
      }
      records.append(record)
      names.append(name)
    }
  }

  private static func value(_ key: String, of word: Name) -> Name? {
    word.starts(with: key.utf8) ? Array(word.dropFirst(key.utf8.count)) : nil
  }

  private static func unescaped(_ word: ArraySlice<UInt8>) -> Name {
    var bytes: Name = []
    var rest = word
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3 else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 &- 0x30) })
      rest.removeFirst(3)
    }
    return bytes
  }

  static func canonical(_ name: Name, in place: Name) -> Name {
    let path = Array(
      name.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
        .joined(separator: [UInt8(ascii: "/")]))
    let inside = place.dropFirst() + [UInt8(ascii: "/")]
    return name.first == UInt8(ascii: "/") && path.starts(with: inside)
      ? Array(path.dropFirst(inside.count)) : path
  }

  /// Returns the manifest that the ledger belongs to.
  func manifest(_ algorithms: [String], isTagged: Bool, isZeroTerminated: Bool) -> [UInt8] {
    let escapes: [UInt8: String] = [0x5C: "\\\\", 10: "\\n", 13: "\\r"]
    var text: [UInt8] = []
    for (record, name) in zip(records, names) {
      let isEscaped = !isZeroTerminated && name.contains { escapes[$0] != nil }
      let name = isEscaped ? name.flatMap { escapes[$0].map { Array($0.utf8) } ?? [$0] } : name
      let known = algorithms.filter { record.digests[$0] != nil }
      // A digest of BLAKE3 would be taken for one of SHA-256.
      let hasTag = isTagged || known.isEmpty || algorithms.count > 1 || algorithms == ["blake3"]
      let others = LedgerContents.algorithms.filter { record.digests[$0] != nil }
      for algorithm in known.isEmpty ? others : known {
        let digits = Array(record.digests[algorithm, default: ""].utf8)
        if isEscaped { text.append(0x5C) }
        if hasTag {
          text += Array(algorithm.uppercased().utf8) + Array(" (".utf8) + name
          text += Array(") = ".utf8) + digits
        } else {
          text += digits + Array("  ".utf8) + name
        }
        text.append(isZeroTerminated ? 0 : 10)
      }
    }
    return text
  }
}

struct LedgerChange: Hashable {
  var path: Name
  var word: String
  var isAccepted = false
  /// The former path of a file that has moved.
  var from: Name = []
}

struct LedgerReport {
  private(set) var changes: [LedgerChange] = []
  private(set) var counts: [String: Int] = [:]

  init(_ output: [UInt8], in place: Name) {
    for line in output.split(separator: 10) {
      let value = try? JSONSerialization.jsonObject(with: Data(line))
      guard let object = value as? [String: Any] else { continue }
      guard let word = object["status"] as? String, let path = Self.path(object["path"]) else {
        for (key, value) in object { counts[key] = value as? Int ?? counts[key] }
        continue
      }
      changes.append(
        LedgerChange(
          path: LedgerText.canonical(path, in: place), word: word,
          isAccepted: object["accepted"] != nil,
          from: Self.path(object["from"]).map { LedgerText.canonical($0, in: place) } ?? []))
    }
  }

  /// Returns the bytes of a path: `{"text":STRING}` or `{"bytes":BASE64}`.
  private static func path(_ value: Any?) -> Name? {
    let object = value as? [String: String]
    return object?["text"].map { Array($0.utf8) }
      ?? object?["bytes"].flatMap { Data(base64Encoded: $0) }.map { Array($0) }
  }
}
