// An account whose amount is used on one serial queue alone.

import Dispatch

private let queue = DispatchQueue(label: "account")
private nonisolated(unsafe) var amount = 0

/// For callers on the queue; one on another queue calls sync first.
private func balanceOnQueue() -> Int {
  dispatchPrecondition(condition: .onQueue(queue))
  return amount
}

func syncOwnQueueFixed() {
  queue.async {
    amount += 10
    print("the amount has changed")
    print("the balance is \(balanceOnQueue())")
  }
  queue.sync { print("the account is closed") }
}
