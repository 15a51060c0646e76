// The commands of a log that a template can have made.
//
// DESIGN. A job log has commands and not the items that they were made from: its columns
// are those of GNU parallel, which have no place for items. A log of another command is
// detected here, before any command is run: each command of the log must have the words
// of the template, with any text for an item or a number.

extension CommandTemplate {
  /// Returns true if there are items for which these are the arguments.
  func canProduce(_ arguments: [[UInt8]]) -> Bool {
    let perItem = words.count { $0.isPerItem }
    let others = arguments.count - (words.count - perItem)
    guard others >= perItem, perItem > 0 ? others % perItem == 0 : others == 0 else {
      return false
    }
    let items = perItem > 0 ? others / perItem : 0
    var rest = arguments[...]
    for word in words {
      let count = word.isPerItem ? items : 1
      guard rest.prefix(count).allSatisfy({ word.canProduce($0) }) else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension CommandTemplate.Word {
  fileprivate func canProduce(_ argument: [UInt8]) -> Bool {
    var rest = argument[...]
    // True if any text may precede the next part.
    var isAnyAllowed = false
    for (index, part) in parts.enumerated() {
      guard case .text(let text) = part else {
        isAnyAllowed = true
        continue
      }
      if isAnyAllowed && index == parts.count - 1 {
        return rest.count >= text.count && rest.suffix(text.count).elementsEqual(text)
      }
      while isAnyAllowed && !rest.isEmpty && !rest.starts(with: text) { rest = rest.dropFirst() }
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      isAnyAllowed = false
    }
    return isAnyAllowed || rest.isEmpty
  }
}
