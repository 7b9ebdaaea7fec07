import Foundation

/// What the numbers were measured on; no report is worth much without it.
package struct Machine: Sendable {
  package var system: String
  package var processor: String
  package var cores: Int
  package var memoryBytes: Int
  package var isOptimized: Bool

  /// This machine and this build.
  package static var current: Machine {
    let info = ProcessInfo.processInfo
    return Machine(
      system: info.operatingSystemVersionString, processor: processorName,
      cores: info.activeProcessorCount, memoryBytes: Int(info.physicalMemory),
      isOptimized: buildIsOptimized)
  }

  /// One line for the head of a report.
  package var description: String {
    let build = isOptimized ? "release build" : "DEBUG BUILD, numbers mean nothing"
    return "\(processor), \(cores) cores, \(NumberText.bytes(memoryBytes)), \(system), \(build)"
  }

  package var json: JSONText {
    .object([
      ("system", .string(system)), ("processor", .string(processor)), ("cores", .integer(cores)),
      ("memoryBytes", .integer(memoryBytes)), ("optimized", .boolean(isOptimized)),
    ])
  }

  private static var processorName: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n")
    let model = lines?.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    if let model { return model.trimmingCharacters(in: .whitespaces) }
    #if arch(arm64)
      return "arm64"
    #else
      return "x86_64"
    #endif
  }

  private static var buildIsOptimized: Bool {
    // An assertion's condition is evaluated in debug builds only.
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    return !isDebug
  }
}
