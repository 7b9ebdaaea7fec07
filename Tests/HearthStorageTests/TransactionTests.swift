import HearthStorage
import Testing

@Suite struct TransactionTests {
  struct Failure: Error {}

  @Test func `what was committed can be read`() throws {
    try withEnvironment { environment, _ in
      try environment.write { transaction in
        try transaction.put(bytes("k"), bytes("v"), in: tableA)
        try transaction.put(bytes("empty"), [], in: tableA)
      }
      try environment.read { transaction in
        try #expect(transaction.bytes(bytes("k"), in: tableA) == bytes("v"))
        try #expect(transaction.bytes(bytes("empty"), in: tableA) == [])
        try #expect(transaction.bytes(bytes("k"), in: tableB) == nil)
        try #expect(transaction.contains(bytes("k"), in: tableA))
        try #expect(!transaction.contains(bytes("x"), in: tableA))
      }
    }
  }

  @Test func `a write that throws changes nothing`() throws {
    try withEnvironment { environment, _ in
      #expect(throws: Failure.self) {
        try environment.write { transaction in
          try transaction.put(bytes("k"), bytes("v"), in: tableA)
          throw Failure()
        }
      }
      try environment.write { transaction in
        try #expect(!transaction.contains(bytes("k"), in: tableA))
      }
      #expect(environment.writesStopped == nil)
    }
  }

  @Test func `delete says whether there was something`() throws {
    try withEnvironment { environment, _ in
      try environment.write { transaction in
        try transaction.put(bytes("k"), bytes("v"), in: tableA)
        try #expect(transaction.delete(bytes("k"), in: tableA))
        try #expect(!transaction.delete(bytes("k"), in: tableA))
      }
    }
  }

  @Test func `a write transaction sees its own changes, readers see the last commit`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), bytes("1"), in: tableA) }
      try environment.write { transaction in
        try transaction.put(bytes("k"), bytes("2"), in: tableA)
        try #expect(transaction.bytes(bytes("k"), in: tableA) == bytes("2"))
        try environment.read { reader in
          try #expect(reader.bytes(bytes("k"), in: tableA) == bytes("1"))
          #expect(reader.transactionID + 1 == transaction.transactionID)
        }
      }
    }
  }

  @Test func `keys have 1 to 511 bytes`() throws {
    try withEnvironment { environment, _ in
      let longest = [UInt8](repeating: 7, count: 511)
      try environment.write { try $0.put(longest, bytes("v"), in: tableA) }
      try environment.read { try #expect($0.contains(longest, in: tableA)) }
      for key in [[], longest + [7]] {
        expectError(.badKey) { try environment.write { try $0.put(key, [], in: tableA) } }
        expectError(.badKey) { try environment.write { _ = try $0.delete(key, in: tableA) } }
        expectError(.badKey) { try environment.read { _ = try $0.contains(key, in: tableA) } }
      }
    }
  }

  @Test func `appending a key out of order is an error of the caller`() throws {
    try withEnvironment { environment, _ in
      expectError(.internalError) {
        try environment.write { transaction in
          try transaction.append(bytes("b"), [], in: tableA)
          try transaction.append(bytes("a"), [], in: tableA)
        }
      }
      try environment.read { try #expect(!$0.contains(bytes("b"), in: tableA)) }
    }
  }

  @Test func `an error inside dooms the transaction even if it is caught`() throws {
    try withEnvironment { environment, _ in
      expectError(.badKey) {
        try environment.write { transaction in
          try transaction.put(bytes("k"), [], in: tableA)
          try? transaction.put([], [], in: tableA)
          expectError(.badKey) { try transaction.put(bytes("l"), [], in: tableA) }
          expectError(.badKey) { _ = try transaction.contains(bytes("k"), in: tableA) }
        }
      }
      try environment.read { try #expect(!$0.contains(bytes("k"), in: tableA)) }
    }
  }

  @Test func `a table does not change while it is looked at`() throws {
    try withEnvironment { environment, _ in
      try environment.write { try $0.put(bytes("k"), bytes("v"), in: tableA) }
      // Another table may change meanwhile.
      try environment.write { transaction in
        try transaction.withCursor(in: tableA) { cursor in
          while try cursor.next() {
            try transaction.put(cursor.valueBytes(), cursor.keyBytes(), in: tableB)
          }
        }
      }
      try environment.read { try #expect($0.bytes(bytes("v"), in: tableB) == bytes("k")) }
      expectError(.internalError) {
        try environment.write { transaction in
          try transaction.withCursor(in: tableA) { _ in
            try transaction.put(bytes("l"), [], in: tableA)
          }
        }
      }
      expectError(.internalError) {
        try environment.write { transaction in
          _ = try transaction.get(bytes("k"), in: tableA) { _ in
            try transaction.delete(bytes("k"), in: tableA)
          }
        }
      }
      // The pin went away with the cursor.
      try environment.write { transaction in
        try transaction.withCursor(in: tableA) { _ in }
        try transaction.put(bytes("l"), [], in: tableA)
      }
    }
  }

  @Test func `a write inside a write and a table that is not there are refused`() throws {
    try withEnvironment { environment, _ in
      try environment.write { _ in
        expectError(.internalError) { try environment.write { _ in } }
        expectError(.internalError) { try environment.growMap() }
      }
      expectError(.internalError) {
        try environment.write { try $0.put(bytes("k"), [], in: Table(number: 3)) }
      }
      expectError(.internalError) {
        try environment.read { _ = try $0.contains(bytes("k"), in: Table(number: 3)) }
      }
    }
  }

  @Test func `one function reads through both kinds of transaction`() throws {
    func count(_ reader: borrowing some TableReader & ~Copyable) throws -> Int {
      var count = 0
      try reader.scan(.all, in: tableA) { _, _ in
        count += 1
        return true
      }
      return count
    }
    try withEnvironment { environment, _ in
      try environment.write { transaction in
        try transaction.put(bytes("k"), [], in: tableA)
        try #expect(count(transaction) == 1)
      }
      try #expect(environment.read { try count($0) } == 1)
    }
  }

  @Test func `a transaction far above its page budget is refused, one below is not`() throws {
    try withEnvironment(.testing { $0.pageBudget = 16 }) { environment, _ in
      func fill(_ count: Int, size: Int) throws {
        try environment.write { transaction in
          for number in 0..<count {
            let key = [UInt8(number >> 8), UInt8(number & 255)]
            try transaction.put(key, [UInt8](repeating: 0, count: size), in: tableA)
          }
          #expect(transaction.isOverPageBudget == true)
        }
      }
      try fill(100, size: 2000)
      expectError(.transactionFull) { try fill(1000, size: 2000) }
      expectError(.transactionFull) { try fill(10, size: 1 << 20) }
    }
  }

  @Test func `the estimate of dirty pages is not below what a commit adds to the file`() throws {
    try withEnvironment { environment, _ in
      var generator = SplitMix(state: 5)
      for size in [10, 100, 1000, 3000, 20_000] {
        var estimate = 0
        let before = environment.fileStatistics.usedBytes
        try environment.write { transaction in
          for _ in 0..<300 {
            let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try transaction.put(key, [UInt8](repeating: 1, count: size), in: tableA)
          }
          estimate = transaction.dirtyPageEstimate
        }
        let grown = (environment.fileStatistics.usedBytes - before) / 4096
        #expect(estimate >= grown, "values of \(size) bytes")
        #expect(estimate < 4 * grown + 700, "values of \(size) bytes")
      }
    }
  }
}
