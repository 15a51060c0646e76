// Whether a command can be of a template.
//
// DESIGN. A log has commands, and not what they were made of: its columns are those
// of another tool, which has no place for that. That a log is of another command is
// found out here, before anything is run: each of its commands has to have the words
// of the template, with anything where an item or a number stands.

extension CommandTemplate {
  /// Whether there are items for which these would be the arguments.
  func canMake(_ arguments: [[UInt8]]) -> Bool {
    let perItem = words.count { $0.isOfItems }
    let others = arguments.count - (words.count - perItem)
    guard others >= perItem, perItem > 0 ? others % perItem == 0 : others == 0 else {
      return false
    }
    let items = perItem > 0 ? others / perItem : 0
    var rest = arguments[...]
    for word in words {
      let count = word.isOfItems ? items : 1
      guard rest.prefix(count).allSatisfy({ word.canMake($0) }) else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension CommandTemplate.Word {
  fileprivate func canMake(_ argument: [UInt8]) -> Bool {
    var rest = argument[...]
    // Whether anything may stand before what comes next.
    var isOpen = false
    for (index, part) in parts.enumerated() {
      guard case .text(let text) = part else {
        isOpen = true
        continue
      }
      if isOpen && index == parts.count - 1 {
        return rest.count >= text.count && rest.suffix(text.count).elementsEqual(text)
      }
      while isOpen && !rest.isEmpty && !rest.starts(with: text) { rest = rest.dropFirst() }
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      isOpen = false
    }
    return isOpen || rest.isEmpty
  }
}
