import Foundation
import HearthTestSupport

/// Makes the crash images of some positions of a trace, one after the other, and judges each.
struct ImageRun {
  private let job: ImagesJob
  private let trace: Trace

  struct NoTrace: Error {}

  init(_ job: ImagesJob) throws {
    self.job = job
    guard let trace = TraceCache.trace(job.trace) else { throw NoTrace() }
    self.trace = trace
  }

  func run() async throws {
    var disk = Disk(trace)
    var ledger = Ledger()
    var copied = Ledger()
    // What was acknowledged when the last flush ended; later commits are possible.
    var flushed = Ledger()
    let tags = trace.databaseTags
    var done = 0
    var number = 0
    for position in job.positions.sorted() {
      while done < position {
        let operation = trace.operations[done]
        disk.apply(operation)
        if operation.kind == .noted {
          let note = trace.note(operation)
          ledger.take(note: note)
          if !note.hasPrefix("a") { flushed.take(note: note) }
        }
        if operation.kind == .synced, tags.contains(operation.tag) { flushed = ledger }
        if copied.reached.isEmpty, ledger.reached.contains("copy-begun") { copied = ledger }
        done += 1
      }
      // The operation at the position is under way.
      var now = disk
      if done < trace.operations.count { now.begin(trace.operations[done]) }
      for choice in choices(position) {
        defer { number += 1 }
        if number < job.skip { continue }
        Zygote.send(.begun(number))
        let image = "\(job.place)/image-\(getpid())-\(number)"
        try CrashImage(disk: now, trace: trace).write(choice, to: image)
        for finding in await judge(image, ledger, copied, job.isRelaxed ? flushed : nil) {
          let text = "\(describe(choice)) at operation \(position): \(finding.text)"
          Zygote.send(.finding(Finding(kind: finding.kind, text: text)))
        }
        try FileManager.default.removeItem(atPath: image)
        Zygote.send(.image)
      }
    }
  }

  private func choices(_ position: Int) -> [CrashImage.Choice] {
    [.synced, .everything]
      + (0..<job.subsets).map { number in
        .some(SeededGenerator(seed: job.seed &+ UInt64(position) &* 1000 &+ UInt64(number)))
      }
  }

  private func describe(_ choice: CrashImage.Choice) -> String {
    switch choice {
    case .synced: "what was synced"
    case .everything: "everything written"
    case .some: "some of what was not synced"
    }
  }

  private func judge(
    _ image: String, _ ledger: Ledger, _ copied: Ledger, _ floor: Ledger?
  ) async -> [Finding] {
    var findings = await Judge.judge(image + "/db", ledger, floor: floor)
    // A copy appears whole or not at all.
    let copy = image + "/copy"
    if FileManager.default.fileExists(atPath: copy) {
      findings += await Judge.judge(copy, copied, isExact: false)
    } else if ledger.reached.contains("copy") {
      findings.append(Finding(kind: .lost, text: "the copy is gone"))
    }
    return findings
  }
}
