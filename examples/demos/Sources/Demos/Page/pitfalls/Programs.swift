// The programs of the pitfalls: each is a file beside this one, which the demos print as it is.

/// The two versions of each pitfall, by its name.
package let pitfallPrograms: [String: (broken: @Sendable () -> Void, fixed: @Sendable () -> Void)] =
  [
    "group-wait-on-main": (groupWaitOnMainBroken, groupWaitOnMainFixed),
    "sync-own-queue": (syncOwnQueueBroken, syncOwnQueueFixed),
    "extra-leave": (extraLeaveBroken, extraLeaveFixed),
    "semaphore-released": (semaphoreReleasedBroken, semaphoreReleasedFixed),
    "pool-exhaustion": (poolExhaustionBroken, poolExhaustionFixed),
    "counter-race": (counterRaceBroken, counterRaceFixed),
    "suspend-resume": (suspendResumeBroken, suspendResumeFixed),
    "unordered-results": (unorderedResultsBroken, unorderedResultsFixed),
    "actor-reentrancy": (actorReentrancyBroken, actorReentrancyFixed),
  ]
