// Accounts by name, from a C library whose calls block (getpwnam_r may ask a server): sixteen
// calls at once on threads of their own, while Swift's threads stay free.
import Glibc
import Weir

struct Account: Sendable {
  let user: uid_t
  let home: String
}

struct NoSuchAccount: Error {}

/// The library, which many tasks share. The calls run on the lanes, not on the actor.
actor Directory {
  private let lanes = Lanes(label: "accounts", width: 16)
  private var known: [String: Account] = [:]

  func account(named name: String) async throws -> Account {
    if let account = known[name] { return account }
    let account = try await lanes.run { try findAccount(named: name) }
    known[name] = account
    return account
  }
}

/// Blocks.
func findAccount(named name: String) throws -> Account {
  var entry = passwd()
  var found: UnsafeMutablePointer<passwd>?
  var memory = [CChar](repeating: 0, count: 1 << 14)
  let error = getpwnam_r(name, &entry, &memory, memory.count, &found)
  guard error == 0, let found else { throw NoSuchAccount() }
  return Account(user: found.pointee.pw_uid, home: String(cString: found.pointee.pw_dir))
}

@main struct Accounts {
  static func main() async throws {
    let directory = Directory()
    let names = CommandLine.arguments.dropFirst()
    let results = try await names.mapConcurrently(limit: 64, failures: .becomeResults) { name in
      try await directory.account(named: name)
    }
    var status: Int32 = 0
    for (name, result) in zip(names, results) {
      switch result {
      case .success(let account): print(name, account.user, account.home, separator: "\t")
      case .failure(let error):
        print(name, error, separator: "\t")
        status = 1
      }
    }
    exit(status)
  }
}
