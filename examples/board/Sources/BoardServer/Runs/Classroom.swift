// The answers of a class.

import Dispatch
import Foundation
import Synchronization

/// The answers of the followers to the questions of a run.
///
/// Answers are taken from the time a page is shown to the beginning of the run.
final class Classroom: Sendable {
  /// The number of followers that may answer.
  static let limit = 1000

  /// The body of an answer.
  struct Answer: Decodable, Sendable {
    let follower: String
    let answers: [LooseText?]
  }

  private struct Counts: Encodable, Equatable {
    let kind = "class"
    var followers = 0
    var answered = 0
    var counts: [[String: Int]] = []

    enum CodingKeys: CodingKey { case kind, followers, answered, counts }
  }

  private struct State {
    var answers: [String: [String?]] = [:]
    var isOpen = true
    var reported = Counts()
  }

  private let channel: Channel
  private let state = Mutex(State())

  init(channel: Channel) { self.channel = channel }

  /// Takes an answer; a later one of the same follower replaces it.
  func take(_ answer: Answer) throws(Refusal) {
    let isValid =
      (1...64).contains(answer.follower.utf8.count) && answer.answers.count <= 8
      && answer.answers.allSatisfy { ($0?.text.utf8.count ?? 0) <= 32 }
    guard isValid else { throw Refusal(.badRequest, "That is not an answer.") }
    try state.withLock { state throws(Refusal) in
      guard state.isOpen else { throw Refusal(.conflict, "The run has begun.") }
      guard state.answers.count < Classroom.limit || state.answers[answer.follower] != nil else {
        throw Refusal(.tooManyRequests, "Too many have answered.")
      }
      state.answers[answer.follower] = answer.answers.map { $0?.text }
    }
  }

  /// Takes no more answers: the run begins.
  func close() { state.withLock { $0.isOpen = false } }

  /// Forgets all answers, and takes new ones.
  func reopen() {
    state.withLock { state in
      state.isOpen = true
      state.answers = [:]
      state.reported = Counts()
    }
  }

  /// Reports the counts if they have changed. Called twice a second.
  func tick() {
    let followers = channel.followerCount
    let message: [UInt8]? = state.withLock { state in
      let questions = state.answers.values.map(\.count).max() ?? 0
      var counts = Counts(followers: followers, answered: state.answers.count)
      counts.counts = (0..<questions).map { index in
        state.answers.values.reduce(into: [:]) { counts, answers in
          if index < answers.count, let text = answers[index] { counts[text, default: 0] += 1 }
        }
      }
      guard counts != state.reported else { return nil }
      state.reported = counts
      return Message.encode(counts)
    }
    if let message { channel.append(message) }
  }
}
