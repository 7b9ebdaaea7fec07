/// One operation on one register, as its client saw it.
package struct RegisterOperation: Sendable {
  /// What it did, and found.
  package enum Kind: Sendable {
    case read(Int?)
    case write(Int?)
    /// Read and written in one step.
    case change(from: Int?, to: Int?)
  }

  package var name: String
  package var invoked: Int
  package var returned: Int
  package var kind: Kind
  /// Whether it is known to have happened before it returned; else it may have at any time after it
  /// began, or never.
  package var isCertain: Bool

  package init(
    _ name: String, invoked: Int, returned: Int, _ kind: Kind, isCertain: Bool = true
  ) {
    self.name = name
    self.invoked = invoked
    self.returned = returned
    self.kind = kind
    self.isCertain = isCertain
  }
}

/// Searches an order of operations on one register that respects real time and explains every read
/// (Wing and Gong, with Lowe's memory of states already tried).
///
/// Knows nothing of transactions, lists or versions, so that it is a judge of its own. The register
/// is nil to begin with. Meant for short histories: the worst case is exponential.
package struct LinearizabilityChecker {
  /// The beginning or the end of an operation, in a list that operations are taken out of.
  private struct Event {
    var operation: Int
    var isReturn: Bool
    var previous: Int
    var next: Int
  }

  private struct Tried: Hashable {
    var done: [UInt64]
    var value: Int?
  }

  private let operations: [RegisterOperation]
  /// The first is the head of the list and no event.
  private var events: [Event] = [Event(operation: -1, isReturn: false, previous: -1, next: -1)]
  private var returnOf: [Int]
  private var callOf: [Int]

  /// Nil if such an order exists, or else where the search stuck.
  ///
  /// Gives up, and finds nothing, where more states than `most` would have to be tried.
  package static func check(_ operations: [RegisterOperation], most: Int = 1_000_000) -> String? {
    var checker = LinearizabilityChecker(operations)
    return checker.search(most)
  }

  private init(_ operations: [RegisterOperation]) {
    self.operations = operations
    returnOf = Array(repeating: -1, count: operations.count)
    callOf = returnOf
    var moments: [(time: Int, isReturn: Bool, operation: Int)] = []
    for (number, operation) in operations.enumerated() {
      moments.append((operation.invoked, false, number))
      moments.append((operation.isCertain ? operation.returned : .max, true, number))
    }
    // What is at the same time is not before one another.
    moments.sort { $0.time != $1.time ? $0.time < $1.time : !$0.isReturn && $1.isReturn }
    for (_, isReturn, operation) in moments {
      let position = events.count
      events[position - 1].next = position
      events.append(
        Event(operation: operation, isReturn: isReturn, previous: position - 1, next: -1))
      if isReturn { returnOf[operation] = position } else { callOf[operation] = position }
    }
  }

  private mutating func search(_ most: Int) -> String? {
    var value: Int?
    var done = Array(repeating: UInt64(0), count: operations.count / 64 + 1)
    var tried: Set<Tried> = []
    var stack: [(operation: Int, value: Int?)] = []
    var missing = operations.count { $0.isCertain }
    var longest = -1
    var stuck = ""
    var current = events[0].next
    while missing > 0, tried.count < most {
      let event = events[current]
      if !event.isReturn {
        let operation = operations[event.operation]
        if let next = LinearizabilityChecker.step(operation.kind, value) {
          done[event.operation / 64] |= 1 << UInt64(event.operation % 64)
          if tried.insert(Tried(done: done, value: next)).inserted {
            stack.append((event.operation, value))
            value = next
            if operation.isCertain { missing -= 1 }
            takeOut(event.operation)
            current = events[0].next
            continue
          }
          done[event.operation / 64] &= ~(1 << UInt64(event.operation % 64))
        }
        current = event.next
        continue
      }
      if stack.count > longest {
        longest = stack.count
        let holder = operations[event.operation]
        stuck =
          "\(holder.name) (\(holder.kind)) has no place: after \(longest) operations the value is "
          + (value.map(String.init) ?? "none")
      }
      guard let last = stack.popLast() else { return stuck }
      value = last.value
      done[last.operation / 64] &= ~(1 << UInt64(last.operation % 64))
      if operations[last.operation].isCertain { missing += 1 }
      putBack(last.operation)
      current = events[callOf[last.operation]].next
    }
    return nil
  }

  /// The value afterwards; nil if the operation cannot have come here.
  private static func step(_ kind: RegisterOperation.Kind, _ value: Int?) -> Int?? {
    switch kind {
    case .read(let seen): seen == value ? .some(value) : nil
    case .write(let next): .some(next)
    case .change(let from, let to): from == value ? .some(to) : nil
    }
  }

  private mutating func takeOut(_ operation: Int) {
    for position in [callOf[operation], returnOf[operation]] {
      let event = events[position]
      events[event.previous].next = event.next
      if event.next >= 0 { events[event.next].previous = event.previous }
    }
  }

  private mutating func putBack(_ operation: Int) {
    for position in [returnOf[operation], callOf[operation]] {
      let event = events[position]
      events[event.previous].next = position
      if event.next >= 0 { events[event.next].previous = position }
    }
  }
}

extension ListTransaction {
  /// What transactions did to each list, as operations on a register.
  ///
  /// A list's value is its last number, or its length if the list is one of those counted, which
  /// all who append must have read. Of an empty list it is nil.
  package static func registers(
    _ transactions: [ListTransaction], counted: (Int) -> Bool
  ) -> [Int: [RegisterOperation]] {
    var histories: [Int: [RegisterOperation]] = [:]
    for transaction in transactions where transaction.outcome != .aborted {
      var seen: [Int: Int?] = [:]
      for reading in transaction.reads {
        switch reading {
        case .list(let list, let numbers):
          let count = numbers.isEmpty ? nil : numbers.count
          seen[list] = .some(counted(list) ? count : numbers.last)
        case .length(let list, let length):
          if counted(list) { seen[list] = .some(length == 0 ? nil : length) }
        }
      }
      var written: [Int: (last: Int, count: Int)] = [:]
      for append in transaction.appends {
        written[append.list] = (append.number, (written[append.list]?.count ?? 0) + 1)
      }
      for list in Set(seen.keys).union(written.keys) {
        let kind: RegisterOperation.Kind
        switch (seen[list], written[list]) {
        case (let value?, let write?):
          kind = .change(
            from: value, to: counted(list) ? (value ?? 0) + write.count : write.last)
        case (let value?, nil): kind = .read(value)
        case (nil, let write?): kind = .write(write.last)
        case (nil, nil): continue
        }
        histories[list, default: []].append(
          RegisterOperation(
            transaction.name, invoked: transaction.invoked, returned: transaction.returned, kind,
            isCertain: transaction.outcome == .committed))
      }
    }
    return histories
  }
}
