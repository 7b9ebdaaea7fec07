import HearthEngine
import HearthModel

/// A listener as tests use it: the events it was offered, taken one by one.
struct Ear {
  let listener: Listener
  private let signals: AsyncStream<Void>

  init(_ engine: Engine, _ target: ListenTarget) {
    let (signals, sink) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    listener = engine.listen(target) { sink.yield() }
  }

  /// The next event, waited for.
  func next() async -> ListenerEvent? {
    if let event = listener.take() { return event }
    for await _ in signals { if let event = listener.take() { return event } }
    return nil
  }

  /// The next event as the error that ended the listener.
  func failure() async -> HearthError? {
    if case .failure(let error)? = await next() { return error }
    return nil
  }

  /// The next snapshot's ids.
  func ids() async throws -> [String] {
    try snapshot(await next()).documents.map(\.path.id)
  }

  func snapshot(_ event: ListenerEvent?) throws -> ListenerSnapshot {
    guard case .snapshot(let snapshot)? = event else {
      throw HearthError(.internal, "NO_SNAPSHOT", "\(String(describing: event))")
    }
    return snapshot
  }
}
