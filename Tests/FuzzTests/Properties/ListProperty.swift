// Lists of items, in pieces of any size.

import SystemPackage

@testable import FileJobs

enum ListProperty {
  static func check(_ input: inout FuzzInput) throws {
    let separator = input.byte()
    let sizes = input.byte()
    let text = input.all()
    var expected = text.split(separator: separator, omittingEmptySubsequences: false)
    if expected.last == [] { expected.removeLast() }
    let pipe = FuzzPipe(text, sizes: sizes)
    let list = CommandItemList(pipe.reader, separator: separator, name: [], isOwned: false)
    for name in expected {
      switch next(list, pipe) {
      case .item(let item):
        try expect(item.bytes.elementsEqual(name) && !name.contains(0), "another item")
      case .failure(let bytes, let error):
        try expect(bytes.elementsEqual(name), "another name of a failure")
        try expect(error == .invalidArgument && name.contains(0), "a failure: \(error)")
      default: throw Finding("an item is missing")
      }
    }
    guard case nil = next(list, pipe) else { throw Finding("an item too many") }
  }

  private static func next(_ list: CommandItemList, _ pipe: FuzzPipe) -> CommandElement? {
    while true {
      let element = list.next()
      guard case .pause? = element else { return element }
      pipe.feed()
    }
  }
}
