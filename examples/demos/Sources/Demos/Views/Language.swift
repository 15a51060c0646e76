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

  private static let chineseWords = [
    "threads": "线程", "tasks": "任务", "and": "还有", "more": "个", "in use": "使用中", "waiting": "等待",
    "free": "空闲", "outstanding": "未完成", "in": "正在执行", "waits at": "等待", "idle": "空闲",
    "tasks: Q queued, W waits, R runs, S suspended, D done":
      "任务：Q 排队，W 等待，R 运行，S 挂起，D 完成",
  ]

  /// Returns a word of the live view in the language.
  func word(_ english: String) -> String {
    self == .chinese ? Language.chineseWords[english] ?? english : english
  }

  /// Returns a text in the language, as far as it has a translation.
  public func translated(_ text: String) -> String {
    guard self == .chinese else { return text }
    for (english, chinese) in Language.chineseTexts where text.hasPrefix(english) {
      return chinese + text.dropFirst(english.count)
    }
    return text
  }
}
