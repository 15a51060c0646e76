// The demos in the order of a course.

extension Demo {
  /// All demos, in the order of a course.
  public static let all: [Demo] = [
    .queues, .groups, .downloads, .images, .loops, .gallery,
  ]
}
