// overlay: what the Swift overlay takes beside the C functions under it.
//
//     overlay ROUNDS

import OverlayBodies

guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]), rounds > 0
else {
  fatalError("usage: overlay ROUNDS")
}
print("overlay                            C us    Swift us   paired      25%      75%   goal")
let pairs = Pairs(rounds: rounds)
compareLoops(pairs)
compareMaps(pairs)
print("\(rounds) rounds")
