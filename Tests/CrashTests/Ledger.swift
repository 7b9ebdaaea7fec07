import Testing

/// What one client was told and what it may have got, per sequence of writes.
struct ClientLedger: Equatable {
  struct Sequence: Equatable {
    /// The database must hold at least this.
    var acknowledged = 0
    /// And at most this.
    var submitted = 0

    mutating func acknowledge(_ number: Int, inFlight: Int) {
      acknowledged = max(acknowledged, number)
      submitted = max(submitted, acknowledged + inFlight)
    }

    var range: ClosedRange<Int> { acknowledged...max(acknowledged, submitted) }

    /// Takes over what was found, from which the next child goes on.
    mutating func settle(_ number: Int) {
      acknowledged = number
      submitted = number
    }
  }

  var counter = Sequence()
  var rating = Sequence()
  var pair = Sequence()
  var toggle = Sequence()
  var loose = Sequence()
}

/// What the children of a database reported, against which the database is held after a kill.
struct Ledger {
  static let clients = 4
  var clients = Array(repeating: ClientLedger(), count: Ledger.clients)

  /// The numbers that the next child starts from.
  var argument: String {
    clients.map {
      [$0.counter, $0.rating, $0.pair, $0.toggle, $0.loose]
        .map { String($0.acknowledged) }.joined(separator: ":")
    }.joined(separator: ",")
  }

  /// Before a child starts: each awaited sequence may get one write further than reported.
  mutating func start() {
    for position in clients.indices {
      for sequence in [
        \ClientLedger.counter, \.rating, \.pair, \.toggle,
      ] as [WritableKeyPath<ClientLedger, ClientLedger.Sequence>] {
        clients[position][keyPath: sequence].submitted += 1
      }
    }
  }

  mutating func take(_ records: [ChildRecord]) {
    for record in records where record.client < clients.count {
      let (client, number) = (record.client, record.number)
      switch record.kind {
      case .counter: clients[client].counter.acknowledge(number, inFlight: 1)
      case .rating: clients[client].rating.acknowledge(number, inFlight: 1)
      case .pair: clients[client].pair.acknowledge(number, inFlight: 1)
      case .toggle: clients[client].toggle.acknowledge(number, inFlight: 1)
      case .loose: clients[client].loose.acknowledge(number, inFlight: 0)
      case .submitted: clients[client].loose.submitted = number
      case .phase, .failure: break
      }
    }
  }
}
