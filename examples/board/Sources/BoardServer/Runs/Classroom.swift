// The answers of a class.

import Demos
import FlyingFox
import Foundation
import Synchronization

/// The answers of the followers to the questions of a run.
///
/// Answers are taken before a run. They stay for comparison after it, until a page is shown or the
/// first answer before the next run comes.
///
/// A follower invents its name. So an address has as many answers as streams, the newest ones, and at
/// least one.
final class Classroom: Sendable {
  /// The number of followers that may answer.
  static let limit = 1000
  /// The number of different answers to a question that are counted.
  private static let shownAnswers = 20

  /// The body of an answer.
  struct Answer: Decodable, Sendable {
    let follower: String
    let answers: [Double?]
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
    var answers: [String: Entry] = [:]
    /// The number of the last answer.
    var last = 0
    /// The number of questions of the page that is shown.
    var questions = 0
    var isOpen = true
    /// True if the answers are those to the run that has ended.
    var isOver = false
    var reported: Counts?
  }

  private struct Entry {
    let number: Int
    let address: String
    let answers: [Double?]
  }

  private let channel: Channel
  private let state = Mutex(State())

  init(channel: Channel) { self.channel = channel }

  /// Takes an answer; a later one of the same follower replaces it.
  func take(_ answer: Answer, from address: String) throws(Refusal) {
    let streams = channel.followerCount(at: address)
    try state.withLock { state throws(Refusal) in
      guard state.isOpen else { throw Refusal(.conflict, "The run has begun.") }
      guard (1...64).contains(answer.follower.utf8.count),
        answer.answers.count <= state.questions,
        answer.answers.allSatisfy({ $0.map((0...1e9).contains) ?? true })
      else { throw Refusal(.badRequest, "That is not an answer.") }
      if state.isOver { state.answers = [:] }
      state.isOver = false
      let own = state.answers.filter { $0.value.address == address }
      if own[answer.follower] == nil, own.count >= max(1, streams),
        let oldest = own.min(by: { $0.value.number < $1.value.number })
      {
        state.answers[oldest.key] = nil
      }
      guard state.answers.count < Classroom.limit || state.answers[answer.follower] != nil else {
        throw Refusal(.tooManyRequests, "Too many have answered.")
      }
      state.last += 1
      state.answers[answer.follower] = Entry(
        number: state.last, address: address, answers: answer.answers)
    }
  }

  /// Returns the answers that most have given, so that a message stays short.
  private static func mostFrequent(_ counts: [String: Int]) -> [String: Int] {
    guard counts.count > shownAnswers else { return counts }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return Dictionary(uniqueKeysWithValues: sorted.prefix(shownAnswers).map { ($0.key, $0.value) })
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

  /// Forgets all answers, and takes new ones to the questions of the page that is shown.
  func reopen(questions: Int) {
    state.withLock { state in
      state.questions = questions
      (state.isOpen, state.isOver, state.reported) = (true, false, nil)
      state.answers = [:]
    }
  }

  /// Reports the counts if they have changed. Called twice a second.
  ///
  /// Followers learn no counts before the run, for their answers should be their own.
  func tick() {
    let followers = channel.followerCount
    state.withLock { state in
      let answers = state.answers.values.map(\.answers)
      var counts = Counts(
        followers: followers, answered: answers.count, isOpen: state.isOpen && !state.isOver)
      counts.counts = (0..<(answers.map(\.count).max() ?? 0)).map { index in
        answers.reduce(into: [:]) { counts, answers in
          guard index < answers.count, let answer = answers[index] else { return }
          counts[Int(exactly: answer).map(String.init) ?? "\(answer)", default: 0] += 1
        }
      }.map(Classroom.mostFrequent)
      guard counts != state.reported else { return }
      state.reported = counts
      let all = Message.encode(counts)
      if counts.isOpen { counts.counts = [] }
      channel.setStatus(all, followers: Message.encode(counts))
    }
  }
}
