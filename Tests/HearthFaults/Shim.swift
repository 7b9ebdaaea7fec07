import Foundation
import HearthTestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The preloaded library, as far as this process has it; its header says what it reads and does.
enum Shim {
  /// Why nothing can be preloaded here, nil if it can.
  static var obstacle: String? {
    #if os(Linux) && canImport(Glibc)
      if symbol("__asan_init") != nil || symbol("__tsan_init") != nil {
        return "sanitizers intercept the same calls"
      }
      return library == nil ? "libHearthFaultShim.so was not built" : nil
    #else
      return "calls are intercepted with LD_PRELOAD, which this system does not have"
    #endif
  }

  /// Where the library was built to: next to this program.
  static var library: String? {
    let place = Bundle.main.bundleURL.appending(path: "libHearthFaultShim.so")
    let path = place.path(percentEncoded: false)
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// Whether this process runs under it.
  static var isLoaded: Bool { symbol("hearth_fault_configure") != nil }

  /// Sets the variables, and counts from zero under them.
  static func configure(_ variables: [String: String]) {
    for name in ["ROOT", "TRACE", "FAIL", "LIE"] {
      if let value = variables[name] {
        setenv("HEARTH_FAULT_" + name, value, 1)
      } else {
        unsetenv("HEARTH_FAULT_" + name)
      }
    }
    callPlain("hearth_fault_configure")
  }

  /// No faults from here on.
  static func disarm() { callPlain("hearth_fault_disarm") }

  /// Adds a line to the trace.
  static func note(_ text: String) {
    guard let symbol = symbol("hearth_fault_note") else { return }
    typealias Note = @convention(c) (UnsafeRawPointer?, Int) -> Void
    let bytes = Array(text.utf8)
    // Safe: the header declares the function so.
    bytes.withUnsafeBytes { unsafeBitCast(symbol, to: Note.self)($0.baseAddress, $0.count) }
  }

  /// How many calls of a class there were.
  static func count(_ name: String) -> Int {
    guard let symbol = symbol("hearth_fault_count") else { return 0 }
    typealias Count = @convention(c) (UnsafePointer<CChar>) -> UInt64
    // Safe: the header declares the function so.
    return Int(unsafeBitCast(symbol, to: Count.self)(name))
  }

  /// How many calls failed on purpose.
  static var hits: Int {
    guard let symbol = symbol("hearth_fault_hits") else { return 0 }
    typealias Hits = @convention(c) () -> UInt64
    // Safe: the header declares the function so.
    return Int(unsafeBitCast(symbol, to: Hits.self)())
  }

  private static func callPlain(_ name: String) {
    guard let symbol = symbol(name) else { return }
    typealias Plain = @convention(c) () -> Void
    // Safe: the header declares the function so.
    unsafeBitCast(symbol, to: Plain.self)()
  }

  // Looked up and not linked: only a preloaded library comes before the C library.
  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
}
