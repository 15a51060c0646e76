// A value of JSON, as the tests read it.
import Foundation

indirect enum Json: Equatable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([Json])
  case object([String: Json])

  init(_ bytes: some Collection<UInt8>) throws {
    self = try JSONDecoder().decode(Json.self, from: Data(bytes))
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([Json].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: Json].self))
    }
  }

  subscript(_ name: String) -> Json? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }
  var integer: Int? { number.flatMap { Int(exactly: $0) } }
  var string: String? {
    if case .string(let string) = self { string } else { nil }
  }
  var array: [Json]? {
    if case .array(let array) = self { array } else { nil }
  }
  var names: [String] {
    if case .object(let members) = self { Array(members.keys) } else { [] }
  }
}
