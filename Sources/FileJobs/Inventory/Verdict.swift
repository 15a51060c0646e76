internal import Weir

/// The fact by which two entries were compared.
package enum VerdictBasis: Sendable, Hashable {
  case digest(DigestAlgorithm)
  case sizeAndTime
  case size
  case time
  case type
  case target
  case owner, mode
}

/// The facts that a comparison takes in besides the content.
package struct EntryRules: Sendable {
  /// The number of seconds by which times may differ.
  package var timeWindow = 0
  package var comparesOwner = false
  package var comparesMode = false

  package init() {}
}

/// The verdict on a name.
package enum EntryVerdict: Sendable {
  case same(VerdictBasis, isTouched: Bool)
  case differs(VerdictBasis)
  /// The name is in A only, and its file under another name in B only.
  case moved(to: [UInt8])
  case only(Side)
  case unknown(VerdictDoubt)
}

/// The reason for which two entries cannot be compared.
package enum VerdictDoubt: Sendable {
  /// The entries have no digest of one algorithm, and one has no size.
  case nothingShared
  /// Lines of one side contradict each other.
  case contradictory
  /// Several files of one side have the name, since components were removed.
  case ambiguous
  case unreadable
}

extension EntryVerdict {
  /// Compares two entries of one name.
  ///
  /// DESIGN. A digest decides where both have it, whatever the size and the time: these say more on
  /// the copying than on the content. Without one, size and time decide as for rsync. A time in whole
  /// seconds, as bsdtar and some file systems have it, equals any time within that second.
  init(_ a: InventoryEntry, _ b: InventoryEntry, _ rules: EntryRules = EntryRules()) {
    self.init(ofContents: a, b, rules)
    guard case .same = self, let one = a.rights, let other = b.rights else { return }
    if rules.comparesOwner && (one.user, one.group) != (other.user, other.group) {
      self = .differs(.owner)
    } else if rules.comparesMode && one.mode != other.mode && a.type != .symbolicLink {
      self = .differs(.mode)
    }
  }

  private init(ofContents a: InventoryEntry, _ b: InventoryEntry, _ rules: EntryRules) {
    let flags = a.flags.union(b.flags)
    if a.isUnreadable || b.isUnreadable {
      self = .unknown(.unreadable)
    } else if flags.contains(.ambiguous) {
      self = .unknown(.ambiguous)
    } else if flags.contains(.contradictory) {
      self = .unknown(.contradictory)
    } else if let one = a.type, let other = b.type, one != other {
      self = .differs(.type)
    } else if a.type == .symbolicLink && !a.text.isEmpty && !b.text.isEmpty {
      self =
        a.text.hasSameBytes(as: b.text)
        ? .same(.target, isTouched: false) : .differs(.target)
    } else if a.isOther || b.isOther {
      self = .same(.type, isTouched: false)
    } else {
      self = EntryVerdict.ofDigests(a, b, rules) ?? EntryVerdict.ofStatus(a, b, rules)
    }
  }

  /// Returns true if the content would decide on two entries.
  static func needsContent(_ a: InventoryEntry, _ b: InventoryEntry) -> Bool {
    if a.isOther || b.isOther { return false }
    switch EntryVerdict(a, b) {
    case .same(.digest, _), .differs(.digest), .differs(.size): return false
    case .unknown(let doubt): return doubt == .nothingShared
    default: return true
    }
  }

  /// Digests that may be of one algorithm, by the alternative of one, can be equal; if they are not,
  /// they prove nothing.
  static func ofDigests(
    _ a: InventoryEntry, _ b: InventoryEntry, _ rules: EntryRules = EntryRules()
  ) -> EntryVerdict? {
    var (same, other): (UInt8?, UInt8?)
    for one in EntryDigests(a.digests) {
      for two in EntryDigests(b.digests) {
        guard let algorithm = one.shared(with: two) else { continue }
        if one.bytes.hasSameBytes(as: two.bytes) {
          same = DigestStrength.stronger(algorithm, same)
        } else if one.index == two.index && !has(b, a: one) && !has(a, a: two) {
          other = DigestStrength.stronger(algorithm, other)
        }
      }
    }
    if let other { return .differs(.digest(DigestAlgorithm(index: Int(other)))) }
    return same.map {
      .same(.digest(DigestAlgorithm(index: Int($0))), isTouched: !isSameTime(a, b, rules))
    }
  }

  /// Returns true if an entry has a digest, or one that may be it.
  private static func has(_ entry: InventoryEntry, a digest: EntryDigest) -> Bool {
    EntryDigests(entry.digests).contains {
      $0.shared(with: digest) != nil && $0.bytes.hasSameBytes(as: digest.bytes)
    }
  }

  private static func ofStatus(
    _ a: InventoryEntry, _ b: InventoryEntry, _ rules: EntryRules
  ) -> EntryVerdict {
    guard let one = a.size, let other = b.size else { return .unknown(.nothingShared) }
    if one != other { return .differs(.size) }
    if a.time == nil || b.time == nil { return .same(.size, isTouched: false) }
    return isSameTime(a, b, rules) ? .same(.sizeAndTime, isTouched: false) : .differs(.time)
  }

  /// Returns false if both times are known and differ.
  private static func isSameTime(
    _ a: InventoryEntry, _ b: InventoryEntry, _ rules: EntryRules
  ) -> Bool {
    guard let one = a.time, let other = b.time else { return true }
    let (distance, overflow) = one.seconds.subtractingReportingOverflow(other.seconds)
    if rules.timeWindow > 0 { return !overflow && distance.magnitude <= rules.timeWindow }
    return distance == 0
      && (one.nanoseconds == other.nanoseconds || one.nanoseconds == 0 || other.nanoseconds == 0)
  }
}

/// The order of algorithms by the trust that their agreement deserves.
enum DigestStrength {
  static func stronger(_ index: UInt8, _ other: UInt8?) -> UInt8 {
    guard let other else { return index }
    return rank(index) > rank(other) ? index : other
  }

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
