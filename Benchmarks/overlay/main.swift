// overlay: what the Swift overlay takes beside the C functions under it.
//
//     overlay ROUNDS
//
// Both sides run in this process, in turn: see Pairs.swift.

import OverlayBodies

guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]), rounds > 0
else {
  fatalError("usage: overlay ROUNDS")
}
let pairs = Pairs(rounds: rounds)
pairs.printHead("C us", "Swift us")
compareLoops(pairs)
compareMaps(pairs)
compareAsyncForms(pairs)
print()
pairs.printHead("GCD us", "Weir us")
compareGates(pairs)
print("\(rounds) rounds")
