import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@Suite struct CommitLogTests {
  private func range(
    _ lower: [UInt8], _ upper: [UInt8], _ place: RangeRead.Place = .entries
  ) -> RangeRead {
    RangeRead(place: place, lower: lower, upper: upper, count: 0, fingerprint: 0)
  }

  @Test func `nothing is kept while nobody reads ranges`() {
    var log = CommitLog()
    log.add([[1]], place: .entries, at: version(1))
    #expect(!log.isRecording)
    #expect(log.touches(range([0], [9]), after: version(0)) == nil)
  }

  @Test func `a key inside the range after the version read touches it`() {
    var log = CommitLog()
    log.start(at: version(10))
    log.add([[7], [3]], place: .entries, at: version(11))
    #expect(log.touches(range([3], [4]), after: version(10)) == true)
    #expect(log.touches(range([7], [7, 0]), after: version(10)) == true)
    #expect(log.touches(range([3], [4]), after: version(11)) == false)
    // The upper end is exclusive, the lower one inclusive.
    #expect(log.touches(range([4], [7]), after: version(10)) == false)
    #expect(log.touches(range([3, 0], [7]), after: version(10)) == false)
  }

  @Test func `tables are told apart`() {
    var log = CommitLog()
    log.start(at: version(0))
    log.add([[5]], place: .documents, at: version(1))
    #expect(log.touches(range([0], [9], .entries), after: version(0)) == false)
    #expect(log.touches(range([0], [9], .documents), after: version(0)) == true)
  }

  @Test func `what was committed before the log began is not known`() {
    var log = CommitLog()
    log.start(at: version(10))
    #expect(log.touches(range([0], [9]), after: version(9)) == nil)
    #expect(log.touches(range([0], [9]), after: version(10)) == false)
    log.start(at: version(20))
    #expect(log.touches(range([0], [9]), after: version(10)) == false)
    log.stop()
    #expect(log.touches(range([0], [9]), after: version(10)) == nil)
  }

  @Test func `beyond its bound the oldest is forgotten, and the log says so`() {
    var log = CommitLog(byteLimit: 200)
    log.start(at: version(0))
    for number in 1...20 {
      log.add([[UInt8(number)]], place: .entries, at: version(number))
    }
    #expect(log.touches(range([0], [99]), after: version(0)) == nil)
    #expect(log.touches(range([20], [21]), after: version(18)) == true)
    #expect(log.touches(range([1], [2]), after: version(18)) == false)
  }

  @Test func `catalog records are never answered from the log`() {
    var log = CommitLog()
    log.start(at: version(0))
    #expect(log.touches(range([0], [9], .catalog), after: version(0)) == nil)
  }

  @Test func `a fingerprint knows its keys and their order`() {
    func hash(_ keys: [[UInt8]]) -> UInt64 {
      var fingerprint = RangeFingerprint()
      for key in keys { fingerprint.add(key) }
      return fingerprint.hash
    }
    #expect(hash([[1], [2]]) == hash([[1], [2]]))
    #expect(hash([[1], [2]]) != hash([[2], [1]]))
    #expect(hash([[1], [2]]) != hash([[1, 2]]))
    #expect(hash([[0]]) != hash([[0], [0]]))
  }
}
