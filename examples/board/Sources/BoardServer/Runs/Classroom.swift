// The answers of a class.

import Dispatch
import FlyingFox
import Foundation
import Synchronization

/// The answers of the followers to the questions of a run.
///
/// Answers are taken before a run. They stay for comparison after it, until a page is shown or the
/// first answer before the next run comes.
final class Classroom: Sendable {
  /// The number of followers that may answer.
  static let limit = 1000
  /// The number of different answers to a question that are counted.
  private static let shownAnswers = 20

  /// The body of an answer.
  struct Answer: Decodable, Sendable {
    let follower: String
    let answers: [LooseText?]
  }

  private struct Counts: Encodable, Equatable {
    let kind = "class"
    var followers = 0
    var answered = 0
    /// True while answers are taken. The pages of followers hide the counts then.
    var isOpen = true
    var counts: [[String: Int]] = []

    enum CodingKeys: CodingKey { case kind, followers, answered, isOpen, counts }
  }

  private struct State {
    var answers: [String: [String?]] = [:]
    var isOpen = true
    /// True if the answers are those to the run that has ended.
    var isOver = false
    var reported: Counts?
  }

  private let channel: Channel
  private let state = Mutex(State())

  init(channel: Channel) { self.channel = channel }

  /// Takes an answer; a later one of the same follower replaces it.
  func take(_ answer: Answer) throws(Refusal) {
    let isValid =
      (1...64).contains(answer.follower.utf8.count) && answer.answers.count <= 8
      && answer.answers.allSatisfy { $0.map { Classroom.isNumber($0.text) } ?? true }
    guard isValid else { throw Refusal(.badRequest, "That is not an answer.") }
    try state.withLock { state throws(Refusal) in
      guard state.isOpen else { throw Refusal(.conflict, "The run has begun.") }
      if state.isOver { state.answers = [:] }
      state.isOver = false
      guard state.answers.count < Classroom.limit || state.answers[answer.follower] != nil else {
        throw Refusal(.tooManyRequests, "Too many have answered.")
      }
      state.answers[answer.follower] = answer.answers.map { $0?.text }
    }
  }

  /// Returns the answers that most have given, so that a message stays short.
  private static func mostFrequent(_ counts: [String: Int]) -> [String: Int] {
    guard counts.count > shownAnswers else { return counts }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return Dictionary(uniqueKeysWithValues: sorted.prefix(shownAnswers).map { ($0.key, $0.value) })
  }

  private static func isNumber(_ text: String) -> Bool {
    text.utf8.count <= 32 && Double(text).map { (0...1e9).contains($0) } ?? false
  }

  /// Takes no more answers: the run begins.
  func close() {
    state.withLock { state in
      if state.isOver { state.answers = [:] }
      (state.isOpen, state.isOver, state.reported) = (false, false, nil)
    }
  }

  /// Takes answers for the next run, and keeps those to the last one until then.
  func runEnded() { state.withLock { ($0.isOpen, $0.isOver) = (true, true) } }

  /// Forgets all answers, and takes new ones.
  func reopen() {
    state.withLock { state in
      (state.isOpen, state.isOver, state.reported) = (true, false, nil)
      state.answers = [:]
    }
  }

  /// Reports the counts if they have changed. Called twice a second.
  func tick() {
    let followers = channel.followerCount
    let message: [UInt8]? = state.withLock { state in
      let questions = state.answers.values.map(\.count).max() ?? 0
      var counts = Counts(
        followers: followers, answered: state.answers.count, isOpen: state.isOpen && !state.isOver)
      counts.counts = (0..<questions).map { index in
        state.answers.values.reduce(into: [:]) { counts, answers in
          if index < answers.count, let text = answers[index] { counts[text, default: 0] += 1 }
        }
      }.map(Classroom.mostFrequent)
      guard counts != state.reported else { return nil }
      state.reported = counts
      return Message.encode(counts)
    }
    if let message { channel.append(message) }
  }
}
