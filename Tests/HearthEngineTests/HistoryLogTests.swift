import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

/// Older states of documents (transactions-and-listeners, 7.9).
@Suite struct HistoryLogTests {
  private func document(_ id: String, _ number: Int) -> Document {
    Document(
      path: doc(id), createVersion: version(1), updateVersion: version(number),
      fields: ["n": .integer(Int64(number))])
  }

  private func change(_ id: String, _ before: Int?, _ after: Int?) -> CommitUnit.Change {
    CommitUnit.Change(
      path: doc(id), before: before.map { document(id, $0) }, after: after.map { document(id, $0) })
  }

  /// `a` came at 10, changed at 20 and went at 30; `b` came at 20.
  private var log: HistoryLog {
    var log = HistoryLog(start: version(5))
    log.add([change("a", nil, 10)], at: version(10), measured: true)
    log.add([change("a", 10, 20), change("b", nil, 20)], at: version(20), measured: true)
    log.add([change("a", 20, nil), change("c", 4, 4)], at: version(30), measured: true)
    return log
  }

  @Test func `the state at a version is the one before the first change after it`() {
    let states = [5, 9, 10, 19, 20, 29].map {
      log.state(of: doc("a"), at: version($0), seenFrom: version(40))
    }
    #expect(
      states == [
        .some(nil), .some(nil), document("a", 10), document("a", 10), document("a", 20),
        document("a", 20),
      ])
    #expect(log.state(of: doc("a"), at: version(30), seenFrom: version(40)) == nil)
  }

  @Test func `what the snapshot does not show yet is not put back`() {
    #expect(log.state(of: doc("a"), at: version(20), seenFrom: version(20)) == nil)
    #expect(
      log.state(of: doc("a"), at: version(10), seenFrom: version(20)) == document("a", 10))
    let states = log.states(at: version(10), seenFrom: version(20)) { _ in true }
    #expect(states == [doc("a"): document("a", 10), doc("b"): nil])
  }

  @Test func `only wanted documents are given, and unchanged ones never`() {
    let states = log.states(at: version(5), seenFrom: version(40)) { $0 != doc("b") }
    #expect(states == [doc("a"): nil])
  }

  @Test func `a group that was not written leaves nothing`() {
    var log = log
    log.takeBack(after: version(20))
    #expect(log.state(of: doc("a"), at: version(20), seenFrom: version(40)) == nil)
    #expect(log.count == 3)
    log.takeBack(after: .zero)
    #expect(log.count == 0 && log.byteCount == 0)
  }

  @Test func `trimming moves the start, by versions and by bytes`() {
    var early = log
    early.trim(to: version(20))
    #expect(early.start == version(20) && early.count == 1)
    #expect(
      early.state(of: doc("a"), at: version(20), seenFrom: version(40)) == document("a", 20))
    early.trim(to: version(7))
    #expect(early.start == version(20))
    var small = log
    small.trim(toBytes: small.byteCount - 1)
    #expect(small.start == version(10))
    // All of a unit goes together.
    small.trim(toBytes: small.byteCount - 1)
    #expect(small.start == version(20) && small.count == 1)
    small.trim(toBytes: 0)
    #expect(small.start == version(30) && small.count == 0 && small.byteCount == 0)
  }

  @Test func `a long life keeps only what is wanted`() {
    var log = HistoryLog(start: .zero)
    for number in 1...5000 {
      log.add([change("a", number, number + 1)], at: version(number), measured: false)
      if number > 100 { log.trim(to: version(number - 100)) }
    }
    #expect(log.count == 100)
    #expect(
      log.state(of: doc("a"), at: version(4950), seenFrom: version(9999))
        == document("a", 4951))
  }
}
