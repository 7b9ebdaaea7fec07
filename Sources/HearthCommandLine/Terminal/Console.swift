import Foundation

/// Where text goes: a terminal, or a file that people read later.
struct Console: Sendable {
  static let standardOutput = Console(descriptor: STDOUT_FILENO)
  static let standardError = Console(descriptor: STDERR_FILENO)

  private let descriptor: Int32
  /// Whether lines can be redrawn.
  let isTerminal: Bool
  let style: Style

  init(descriptor: Int32) {
    self.descriptor = descriptor
    let environment = ProcessInfo.processInfo.environment
    isTerminal = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
    // https://no-color.org: set and not empty.
    let wantsColor = environment["NO_COLOR"].map(\.isEmpty) ?? true
    style = Style(isColored: isTerminal && wantsColor)
  }

  /// How many columns fit; 80 where nobody says.
  var width: Int {
    var size = winsize()
    guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Writes a line.
  func line(_ text: String = "") { write(text + "\n") }

  /// Replaces the line that the cursor is on; for terminals only.
  func redraw(_ text: String) { write("\r\(text)\u{1b}[K") }

  /// A heading with some air above it.
  func heading(_ text: String) {
    line()
    line(style.bold(text))
    line()
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { unsafeBytes in
        #if canImport(Darwin)
          Darwin.write(descriptor, unsafeBytes.baseAddress, unsafeBytes.count)
        #else
          Glibc.write(descriptor, unsafeBytes.baseAddress, unsafeBytes.count)
        #endif
      }
      if written > 0 {
        bytes = bytes.dropFirst(written)
      } else if errno == EPIPE {
        // Whoever read this has gone (`hearth demo | head`): nothing more to say.
        Interruption.end(code: 128 + SIGPIPE, saying: nil)
      } else if errno != EINTR && errno != EAGAIN {
        return
      }
    }
  }
}
