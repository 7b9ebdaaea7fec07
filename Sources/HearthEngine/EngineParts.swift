import HearthModel
import HearthStorage

/// The rooms of an open engine, handed to each other at opening.
struct EngineParts: Sendable {
  let environment: Environment
  let reader: RecordReader
  let planner: QueryPlanner
  let intake: Intake
  let turns: TurnQueue
  let openGroup: OpenGroup
  let publisher: Publisher
  let runtime: Runtime
  let counters: EngineCounters
  let rangeReaders: RangeReaders
  let history: History
  let indexWork: IndexWork
  let operations = RunningOperations()
  /// Ends when the committer has done everything that was submitted.
  let committerEnded: Ending
}
