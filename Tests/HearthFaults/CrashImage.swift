import Foundation
import HearthTestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One of the states in which a crash can leave the disk.
struct CrashImage {
  enum Choice {
    /// Of what was not synced, nothing is there.
    case synced
    /// All of it is there.
    case everything
    /// Some of it, chosen by this; a quarter is torn within pages.
    case some(SeededGenerator)
  }

  private static let page = 4096
  private static let sector = 512

  let disk: Disk
  let trace: Trace

  /// Makes the directory tree.
  func write(_ choice: Choice, to path: String) throws {
    var choice = choice
    let named: Disk
    switch choice {
    case .synced: named = disk
    case .everything: named = disk.performing { $0 }
    case .some(var generator):
      named = disk.performing { Int.random(in: 0...$0, using: &generator) }
      choice = .some(generator)
    }
    try write(Disk.root, named, &choice, path)
  }

  private func write(
    _ node: Int, _ named: Disk, _ choice: inout Choice, _ path: String
  ) throws {
    guard mkdir(path, 0o700) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    for (name, child) in named.nodes[node].entries.sorted(by: { $0.key < $1.key }) {
      if named.nodes[child].isDirectory {
        try write(child, named, &choice, path + "/" + name)
      } else {
        try writeFile(content(named.nodes[child], &choice), path + "/" + name)
      }
    }
  }

  private func writeFile(_ content: [UInt8], _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    var done = 0
    while done < content.count {
      let count = content.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: done), content.count - done, off_t(done))
      }
      guard count > 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      done += count
    }
  }

  private func content(_ file: Disk.Node, _ choice: inout Choice) -> [UInt8] {
    switch choice {
    case .synced: return file.durable
    case .everything:
      var all = file.durable
      resize(&all, file.length)
      for change in file.changes { copy(change, change.offset..<end(change), &all) }
      return all
    case .some(var generator):
      defer { choice = .some(generator) }
      return content(file, &generator)
    }
  }

  /// Each page of the disk has the content of some moment since the last flush; torn, each sector.
  private func content(_ file: Disk.Node, _ generator: inout SeededGenerator) -> [UInt8] {
    if file.changes.isEmpty, file.length == file.durable.count { return file.durable }
    let grain = generator.oneIn(4) ? CrashImage.sector : CrashImage.page
    var versions: [Int: Int] = [:]
    for change in file.changes {
      for block in change.offset / grain...(end(change) - 1) / grain {
        versions[block, default: 0] += 1
      }
    }
    for block in versions.keys.sorted() {
      versions[block] = Int.random(in: 0...(versions[block] ?? 0), using: &generator)
    }
    var content = file.durable
    resize(&content, max(file.durable.count, file.length))
    for change in file.changes {
      for block in change.offset / grain...(end(change) - 1) / grain {
        guard let left = versions[block], left > 0 else { continue }
        versions[block] = left - 1
        let from = max(change.offset, block * grain)
        copy(change, from..<min(end(change), (block + 1) * grain), &content)
      }
    }
    resize(&content, length(file, &generator))
    return content
  }

  /// Between what is on the disk for sure and what programs saw.
  private func length(_ file: Disk.Node, _ generator: inout SeededGenerator) -> Int {
    let (least, most) = (min(file.durable.count, file.length), max(file.durable.count, file.length))
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return file.durable.count
    case 1:
      let pages = (most - least) / CrashImage.page
      return least + Int.random(in: 0...pages, using: &generator) * CrashImage.page
    default: return file.length
    }
  }

  private func end(_ change: Disk.Change) -> Int { change.offset + change.bytes.count }

  private func copy(_ change: Disk.Change, _ range: Range<Int>, _ content: inout [UInt8]) {
    let start = change.bytes.lowerBound + range.lowerBound - change.offset
    trace.bytes.withUnsafeBytes { all in
      content.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[range])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + range.count]))
      }
    }
  }

  private func resize(_ content: inout [UInt8], _ length: Int) {
    if content.count > length { content.removeLast(content.count - length) }
    if content.count < length {
      content += [UInt8](repeating: 0, count: length - content.count)
    }
  }
}
