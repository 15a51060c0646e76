// The languages of the download tutorial, which exists in two.

/// A language of texts on the screen.
public enum Language: String, Sendable, CaseIterable {
  case english = "en"
  case chinese = "zh"

  private static let chineseTexts = [
    ("alert: All Download tasks has been completed 😋😋😋", "提示：所有下载任务已完成 😋😋😋"),
    ("controls disabled", "控件已禁用"),
    ("controls enabled", "控件已启用"),
    ("Download Queue", "下载队列"),
    ("completed", "已完成"),
    ("Completed", "已完成"),
    ("Downloading", "下载中"),
    ("Pending", "等待中"),
    ("progress", "进度"),
    ("START", "开始"),
    ("END", "结束"),
  ]

  /// Returns a text in the language, as far as it has a translation.
  public func translated(_ text: String) -> String {
    guard self == .chinese else { return text }
    for (english, chinese) in Language.chineseTexts where text.hasPrefix(english) {
      return chinese + text.dropFirst(english.count)
    }
    return text
  }
}
