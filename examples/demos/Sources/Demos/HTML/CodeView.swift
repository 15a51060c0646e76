// The listings of a page: the code that ran, with a place for marks at each line.

/// The listings as HTML.
struct CodeView {
  private static let keywords: Set<Substring> = [
    "await", "async", "break", "case", "catch", "class", "const", "continue", "default", "defer",
    "do", "else", "enum", "extension", "false", "for", "func", "guard", "if", "import", "in",
    "init", "int", "let", "nil", "return", "self", "sizeof", "static", "struct", "switch", "throw",
    "throws", "true", "try", "typedef", "uint64_t", "size_t", "bool", "NULL", "unsigned", "var",
    "void", "while", "char", "repeat", "private", "final",
  ]

  let listings: [DemoReport.Listing]

  /// The language, with the title if another listing has the same language.
  private func tab(_ listing: DemoReport.Listing) -> String {
    listings.count { $0.language == listing.language } == 1
      ? listing.language : "\(listing.language): \(listing.title)"
  }

  var html: String {
    guard !listings.isEmpty else { return "" }
    var html = ""
    if listings.count > 1 {
      html += "<div class=\"tabs\" role=\"tablist\" aria-label=\"Language\" hidden>"
      for (index, listing) in listings.enumerated() {
        html += """
          <button type="button" role="tab" id="tab\(index)" aria-controls="code\(index)" \
          aria-selected="\(index == 0)" tabindex="\(index == 0 ? 0 : -1)">\
          \(HTMLText.escape(tab(listing)))</button>
          """
      }
      html += "</div>\n"
    }
    for (index, listing) in listings.enumerated() {
      let title = HTMLText.escape("\(listing.language): \(listing.title)")
      html += """
        <figure class="code" id="code\(index)"><figcaption>\(title)</figcaption>\
        <div class="scroll" tabindex="0" role="group" aria-label="\(title)"><ol>
        """
      for line in listing.lines {
        let tag = line.tag.map { " data-tag=\"\(HTMLText.escape($0))\"" } ?? ""
        html += "<li\(tag)><code>\(Self.highlight(line.text))</code>"
        html += line.tag == nil ? "</li>\n" : "<span class=\"at\"></span></li>\n"
      }
      html += "</ol></div></figure>\n"
    }
    return html
  }

  /// Returns a line with its comment, strings and keywords marked.
  static func highlight(_ line: String) -> String {
    guard !line.isEmpty else { return " " }
    var html = ""
    var rest = Substring(line)
    while let first = rest.first {
      if rest.hasPrefix("//") || rest.hasPrefix("/*") {
        return html + "<i>\(HTMLText.escape(String(rest)))</i>"
      }
      if first == "\"" {
        let text = string(rest)
        html += "<s>\(HTMLText.escape(String(text)))</s>"
        rest = rest.dropFirst(text.count)
      } else if first.isLetter || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let escaped = HTMLText.escape(String(word))
        html += keywords.contains(word) ? "<b>\(escaped)</b>" : escaped
        rest = rest.dropFirst(word.count)
      } else {
        html += HTMLText.escape(String(first))
        rest = rest.dropFirst()
      }
    }
    return html
  }

  private static func string(_ text: Substring) -> Substring {
    var isEscaped = false
    var isFirst = true
    for place in text.indices {
      if text[place] == "\"", !isFirst, !isEscaped { return text[...place] }
      isEscaped = !isEscaped && text[place] == "\\"
      isFirst = false
    }
    return text
  }
}
