// An account as an actor: two withdrawals at once, each with a confirmation.

import Dispatch
import Glibc

private actor Account {
  var balance = 100

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return print("\(amount) refused") }
    print("\(amount) of \(balance): to be confirmed")
    try? await Task.sleep(for: .milliseconds(100))  // the confirmation
    balance -= amount
    print("\(amount) paid")
  }
}

func actorReentrancyBroken() {
  Task {
    let account = Account()
    async let first: Void = account.withdraw(80)
    async let second: Void = account.withdraw(80)
    _ = await (first, second)
    print("the balance is \(await account.balance)")
    exit(0)
  }
  dispatchMain()
}
