// The first difference of two long collections. `#expect(a == b)` computes all
// differences, which takes minutes if they are many.

/// Describes the first difference of two collections; `nil` if they are equal.
public func difference<T: Equatable>(_ ours: some Sequence<T>, _ theirs: some Sequence<T>)
  -> String?
{
  let (left, right) = (Array(ours), Array(theirs))
  if left == right { return nil }
  let place =
    zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset
    ?? min(left.count, right.count)
  return "they differ at \(place): \(excerpt(left, place)) is not \(excerpt(right, place)), "
    + "of \(left.count) and \(right.count)"
}

private func excerpt<T>(_ elements: [T], _ place: Int) -> String {
  let piece = elements[max(0, place - 20)..<min(elements.count, place + 20)]
  if let bytes = Array(piece) as? [UInt8] {
    return String(decoding: bytes, as: UTF8.self).debugDescription
  }
  guard place < elements.count else { return "the end" }
  if let name = elements[place] as? [UInt8] {
    return String(decoding: name, as: UTF8.self).debugDescription
  }
  return "\(elements[place])"
}
