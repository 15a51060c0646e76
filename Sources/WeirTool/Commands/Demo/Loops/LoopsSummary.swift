// The conclusions from a loop in several forms, as sentences.

struct LoopsSummary {
  let plan: LoopsPlan
  let prediction: LoopsPrediction?
  /// The results, one for each form.
  let results: [LoopsResult]

  /// The ratio of two times up to which they count as equal.
  private static let tolerance = 1.25
  /// The nanoseconds below which the time to wake other threads matters to a loop.
  private static let shortLoop = 200_000.0

  /// A Boolean value that indicates whether all forms had the same sum, as they must.
  var hasEqualSums: Bool { Set(results.map(\.sum)).count == 1 }

  var sentences: [String] {
    [
      predictedBlocks, predictedTime, otherPrograms, fastestForm, longStride, shortStride,
      sameResult, next,
    ].compactMap { $0 }
  }

  private func result(_ form: LoopsForm) -> LoopsResult? { results.first { $0.form == form } }
  private var plain: LoopsResult? { result(.plain) }

  /// The fastest result except that of the plain loop.
  private var fastest: LoopsResult? {
    results.filter { $0.form != .plain }.min { $0.nanoseconds < $1.nanoseconds }
  }

  // MARK: The prediction

  private var predictedBlocks: String? {
    guard let blocks = result(.stride(plan.stride))?.blocks else { return nil }
    let count = Quantities.count(plan.count, "index", "indices")
    let rounding = plan.count % plan.stride == 0 ? "" : ", rounded up"
    let reason = "\(count) by \(Quantities.count(plan.stride))\(rounding)"
    let actual = Quantities.count(blocks, "block", "blocks")
    switch prediction?.blocks {
    case nil: return "Stride \(Quantities.count(plan.stride)) makes \(actual): \(reason)."
    case blocks: return "Right: \(actual), \(reason)."
    case let predicted?:
      return "Wrong: \(actual), not \(Quantities.count(predicted)): \(reason)."
    }
  }

  private var predictedTime: String? {
    guard let predicted = prediction?.time, let result = result(.stride(plan.stride)) else {
      return nil
    }
    let actual = Double(result.nanoseconds)
    let both =
      "you said \(LoopsDuration.text(predicted)), and it took \(LoopsDuration.text(actual))"
    if max(predicted, actual) <= min(predicted, actual) * LoopsSummary.tolerance {
      return "Right or close: \(both)."
    }
    if predicted == 0 { return "Wrong: \(both)." }
    return "Wrong: \(both), \(LoopsDuration.ratio(actual / predicted)) times as long."
  }

  // MARK: The forms

  private var fastestForm: String? {
    guard let plain, let fastest else { return nil }
    let alone = Double(plain.nanoseconds)
    let ratio = alone / Double(max(1, fastest.nanoseconds))
    if plan.cores == 1 {
      return "This process may use one core, so no loop can be faster than the plain loop."
    }
    if ratio > 1 {
      let work = Double(plain.processorNanoseconds)
      return "The plain loop is \(LoopsDuration.text(work)) of work, which \(plan.cores) cores "
        + "can do in \(LoopsDuration.text(work / Double(plan.cores))). The fastest was "
        + "\(fastest.form.name): \(LoopsDuration.text(fastest.nanoseconds)), "
        + "\(LoopsDuration.ratio(ratio)) times as fast as plain."
    }
    if alone < LoopsSummary.shortLoop {
      return "Nothing was faster than the plain loop: to hand \(LoopsDuration.text(alone)) of "
        + "work to other threads takes more time than it saves."
    }
    return "Nothing was faster than the plain loop."
  }

  /// If other programs use the cores too, times mean little. A fixed stride does not show it:
  /// with a long stride some threads have no work.
  private var otherPrograms: String? {
    let disturbed = [plain, result(.automatic)].compactMap { $0 }.filter { result in
      let threads = min(result.shares.count, plan.cores)
      return Double(result.nanoseconds) > LoopsSummary.shortLoop
        && result.cores < Double(threads) * 0.75
    }
    guard let result = disturbed.first else { return nil }
    let threads = Quantities.count(result.shares.count, "thread", "threads")
    return "Other programs use the cores too, so the times mean little (\(result.form.name): "
      + "\(threads) had \(Quantities.fixed(result.cores, digits: 1)) cores)."
  }

  /// One block of a long stride is more than a core's share.
  private var longStride: String? {
    let uneven = results.compactMap { result -> (LoopsForm, Int)? in
      guard case .stride(let stride) = result.form else { return nil }
      let length = min(stride, plan.count)
      return length * plan.cores > plan.count + plan.cores ? (result.form, length) : nil
    }
    guard plan.cores > 1, let plain, let (form, length) = uneven.last else { return nil }
    let time = Double(plain.processorNanoseconds) * Double(length) / Double(plan.count)
    return "A block of \(form.name) has \(Quantities.count(length)) of "
      + "\(Quantities.count(plan.count, "index", "indices")), more than a core's share: the loop "
      + "takes at least the \(LoopsDuration.text(time)) of that block, on any number of cores."
  }

  /// The hand-out of short strides takes longer than the work.
  private var shortStride: String? {
    guard let one = result(.stride(1)), let fastest, fastest.form != one.form,
      one.blocks >= 10_000
    else { return nil }
    let ratio = Double(one.nanoseconds) / Double(max(1, fastest.nanoseconds))
    guard ratio > LoopsSummary.tolerance else { return nil }
    return "Stride 1 hands out \(Quantities.count(one.blocks)) blocks, and each has a cost: "
      + "stride 1 took \(LoopsDuration.ratio(ratio)) times as long as \(fastest.form.name)."
  }

  private var sameResult: String {
    hasEqualSums ? "All \(results.count) forms had the same result." : "THE RESULTS DIFFER."
  }

  private var next: String {
    plan.work >= 1000
      ? "Now try less work: weir demo loops --count 1000000 --work 20"
      : "Now try more work: weir demo loops --count 100 --work 100000"
  }
}
