import Foundation
import HearthBenchmarkKit

/// How long the disk takes to make a few bytes durable: without it, nobody can read a durable rate.
struct DiskProbe: Sendable {
  var p50: UInt64
  var p99: UInt64
  var samples: Int

  private static let count = 40
  /// A very slow disk must not delay the report.
  private static let secondsMax = 2.0

  /// Writes and flushes one page again and again, in a file of its own in `directory`; nil if the
  /// directory does not let one.
  static func run(in directory: URL) -> DiskProbe? {
    // The directory may be the user's: nothing of theirs may be touched.
    let path = directory.appending(path: "hearth-probe-\(UUID().uuidString)")
      .path(percentEncoded: false)
    let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer {
      close(file)
      unlink(path)
    }
    var page = [UInt8](repeating: 0, count: 4096)
    var latencies = Histogram()
    let whole = Stopwatch()
    for number in 0..<count where latencies.count == 0 || whole.seconds < secondsMax {
      page[0] = UInt8(number)
      let one = Stopwatch()
      guard pwrite(file, page, page.count, 0) == page.count, flush(file) else { return nil }
      latencies.record(one.nanoseconds)
    }
    return DiskProbe(
      p50: latencies.percentile(0.5), p99: latencies.percentile(0.99),
      samples: Int(latencies.count))
  }

  /// As LMDB flushes data.
  private static func flush(_ file: Int32) -> Bool {
    #if canImport(Darwin)
      fsync(file) == 0
    #else
      fdatasync(file) == 0
    #endif
  }

  var json: JSONText {
    .object([
      ("p50", .number(Double(p50) / 1e6)), ("p99", .number(Double(p99) / 1e6)),
      ("samples", .integer(samples)),
    ])
  }
}
