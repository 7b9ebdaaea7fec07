import Synchronization

/// A progress bar whose total comes with the first report.
final class IndexProgress: Sendable {
  private struct State {
    var bar: ProgressBar?
    var total = 0
  }

  private let console: Console
  private let state = Mutex(State())

  init(console: Console) { self.console = console }

  /// The documents to go through, as told last.
  var total: Int { state.withLock { $0.total } }

  func report(_ done: Int, of total: Int) {
    state.withLock { state in
      state.total = total
      let bar =
        state.bar ?? ProgressBar(console, label: "index", total: total, unit: "documents")
      state.bar = bar
      bar.set(done)
    }
  }

  func finish() { state.withLock { $0.bar?.finish() } }
}
