// Two tasks that take two gates in opposite order wait for each other forever. A snapshot, or a
// signal (`kill -QUIT`), names who holds what and who waits where.
import Glibc
import SystemPackage
import Weir

let (accounts, ledger) = (Gate(label: "accounts", permits: 1), Gate(label: "ledger", permits: 1))

/// Takes two permits one after the other; meanwhile the other task holds the second one.
@Sendable func transfer(from first: Gate, to second: Gate) async throws {
  try await first.withPermit {
    while second.statistics.inUse == 0 { await Task.yield() }
    try await second.withPermit {}
  }
}

// The holders of permits are recorded from this call on.
try WeirTrace.printSnapshot(onSignal: SIGQUIT)
let tasks = [
  Task(name: "deposit") { try await transfer(from: accounts, to: ledger) },
  Task(name: "withdrawal") { try await transfer(from: ledger, to: accounts) },
]
while accounts.statistics.waiting + ledger.statistics.waiting < 2 { await Task.yield() }
try WeirTrace.writeSnapshot(to: .standardOutput)

for task in tasks { task.cancel() }
for task in tasks { print(await task.result) }
