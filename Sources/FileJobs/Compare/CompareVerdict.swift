// The verdict on a name that both sides have.

internal import Weir

/// The fact by which two entries were compared.
package enum CompareBasis: Sendable, Hashable {
  case digest(DigestAlgorithm)
  case sizeAndTime
  case size
  case time
  case type
  /// The target of a symbolic link.
  case target
}

/// A side of a comparison.
package enum CompareSide: Sendable {
  case a, b
}

/// A value for each side.
package struct CompareSides<Value> {
  package var a: Value
  package var b: Value

  package init(_ a: Value, _ b: Value) { (self.a, self.b) = (a, b) }

  package subscript(side: CompareSide) -> Value {
    get { side == .a ? a : b }
    set { if side == .a { a = newValue } else { b = newValue } }
  }
}

extension CompareSides: Sendable where Value: Sendable {}

/// The verdict on a name.
package enum CompareVerdict: Sendable {
  case same(CompareBasis, isTouched: Bool)
  case differs(CompareBasis)
  /// The name is in A only, and its file under another name in B only.
  case moved(to: [UInt8])
  case only(CompareSide)
  case unknown(CompareDoubt)
}

/// The reason for which two entries cannot be compared.
package enum CompareDoubt: Sendable {
  /// They have no digest of one algorithm, and one has no size.
  case nothingShared
  /// Lines of one side contradict each other.
  case contradictory
  /// Several files of one side have the name, since components were removed.
  case ambiguous
  case unreadable
}

extension CompareVerdict {
  /// Compares two entries of one name.
  ///
  /// DESIGN. A digest decides where both have it, whatever the size and the time: these say more on
  /// the copying than on the content. Without one, size and time decide as for rsync. A time in whole
  /// seconds, as bsdtar and some file systems have it, equals any time within that second.
  init(_ a: CompareEntry, _ b: CompareEntry) {
    let flags = a.flags.union(b.flags)
    if flags.contains(.unreadable) {
      self = .unknown(.unreadable)
    } else if flags.contains(.ambiguous) {
      self = .unknown(.ambiguous)
    } else if flags.contains(.contradictory) {
      self = .unknown(.contradictory)
    } else if let one = a.type, let other = b.type, one != other {
      self = .differs(.type)
    } else if a.type == .symbolicLink && !a.target.isEmpty && !b.target.isEmpty {
      self =
        a.target.hasSameBytes(as: b.target)
        ? .same(.target, isTouched: false) : .differs(.target)
    } else if a.isOther || b.isOther {
      self = .same(.type, isTouched: false)
    } else {
      self = CompareVerdict.ofDigests(a, b) ?? CompareVerdict.ofStatus(a, b)
    }
  }

  /// Digests that may be of one algorithm, by the alternative of one, can be equal; if they are not,
  /// they prove nothing.
  private static func ofDigests(_ a: CompareEntry, _ b: CompareEntry) -> CompareVerdict? {
    var (same, other): (UInt8?, UInt8?)
    for one in CompareDigests(a.digests) {
      for two in CompareDigests(b.digests) {
        guard let algorithm = one.shared(with: two) else { continue }
        if one.bytes.hasSameBytes(as: two.bytes) {
          same = DigestStrength.stronger(algorithm, same)
        } else if one.algorithm == two.algorithm && !has(b, a: one) && !has(a, a: two) {
          other = DigestStrength.stronger(algorithm, other)
        }
      }
    }
    if let other { return .differs(.digest(DigestAlgorithm(index: Int(other)))) }
    return same.map {
      .same(.digest(DigestAlgorithm(index: Int($0))), isTouched: !isSameTime(a, b))
    }
  }

  /// Returns true if an entry has a digest, or one that may be it.
  private static func has(_ entry: CompareEntry, a digest: CompareDigest) -> Bool {
    CompareDigests(entry.digests).contains {
      $0.shared(with: digest) != nil && $0.bytes.hasSameBytes(as: digest.bytes)
    }
  }

  private static func ofStatus(_ a: CompareEntry, _ b: CompareEntry) -> CompareVerdict {
    guard let one = a.size, let other = b.size else { return .unknown(.nothingShared) }
    if one != other { return .differs(.size) }
    if a.time == nil || b.time == nil { return .same(.size, isTouched: false) }
    return isSameTime(a, b) ? .same(.sizeAndTime, isTouched: false) : .differs(.time)
  }

  /// Returns false if both times are known and differ.
  private static func isSameTime(_ a: CompareEntry, _ b: CompareEntry) -> Bool {
    guard let one = a.time, let other = b.time else { return true }
    return one.seconds == other.seconds
      && (one.nanoseconds == other.nanoseconds || one.nanoseconds == 0 || other.nanoseconds == 0)
  }
}

/// The order of algorithms by the trust that their agreement deserves.
enum DigestStrength {
  static func stronger(_ index: UInt8, _ other: UInt8?) -> UInt8 {
    guard let other else { return index }
    return rank(index) > rank(other) ? index : other
  }

  /// Returns algorithms, the strongest first.
  static func sorted(_ algorithms: Set<UInt8>) -> [UInt8] {
    algorithms.sorted { (-rank($0), $0) < (-rank($1), $1) }
  }

  /// Fast ones come first, broken ones next; of others the length decides.
  private static func rank(_ index: UInt8) -> Int {
    let algorithm = DigestAlgorithm(index: Int(index))
    if algorithm.isXXHash { return algorithm.byteCount }
    return algorithm == .md5 || algorithm == .sha1
      ? 100 + algorithm.byteCount : 200 + algorithm.byteCount
  }
}
