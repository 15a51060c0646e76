// An account whose amount is used on one serial queue alone.

import Dispatch

private let queue = DispatchQueue(label: "account")
private nonisolated(unsafe) var amount = 0

private func balance() -> Int { queue.sync { amount } }

func syncOwnQueueBroken() {
  queue.async {
    amount += 10
    print("the amount has changed")
    print("the balance is \(balance())")
  }
  queue.sync { print("the account is closed") }
}
