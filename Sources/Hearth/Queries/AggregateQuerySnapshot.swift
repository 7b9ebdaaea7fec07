public import Foundation
import HearthEngine
public import HearthModel

/// The results of aggregations at one moment.
public final class AggregateQuerySnapshot: Sendable {
  /// What was asked.
  public let query: AggregateQuery
  private let values: [Value]
  private let version: CommitVersion
  /// How the aggregation was served and what it touched.
  public let explanation: ExplainResult

  init(_ query: AggregateQuery, _ result: AggregationResult) {
    self.query = query
    values = result.values.map(\.value)
    version = result.version
    explanation = ExplainResult(result.explanation)
  }

  /// The number of documents; zero, reported as misuse, if no count was asked.
  public var count: NSNumber {
    for (field, value) in zip(query.fields, values) {
      if case .success(.count) = field.kind, case .integer(let number) = value {
        return NSNumber(value: number)
      }
    }
    reportNotAsked()
    return 0
  }

  /// A result: an `NSNumber`, or `NSNull` for the average of no numbers.
  ///
  /// One that was not asked is `NSNull` and is reported as misuse; ``value(_:)`` throws instead.
  public func get(_ field: AggregateField) -> Any {
    do {
      return ValueWriter(database: query.query.firestore).untyped(try value(field))
    } catch {
      reportNotAsked()
      return NSNull()
    }
  }

  /// A result with its exact type.
  ///
  /// - Throws: ``HearthError`` with `INVALID_ARGUMENT / AGGREGATION_NOT_ASKED`.
  public func value(_ field: AggregateField) throws -> Value {
    guard let position = query.fields.firstIndex(of: field) else {
      throw AggregateQuerySnapshot.notAsked
    }
    return values[position]
  }

  /// The commit time of the version that was read.
  public var readTime: Timestamp { version.time }

  /// No later call fails with it, so it goes to the log where no handler listens.
  private func reportNotAsked() {
    if Hearth.misuseHandler == nil { Hearth.log(AggregateQuerySnapshot.notAsked.message) }
    Hearth.misused(AggregateQuerySnapshot.notAsked)
  }

  private static let notAsked = HearthError(
    .invalidArgument, "AGGREGATION_NOT_ASKED",
    "This aggregation was not among those that were asked; add it to aggregate(_:).")
}

extension AggregateQuerySnapshot: Hashable {
  /// Same question and same answers.
  public static func == (a: AggregateQuerySnapshot, b: AggregateQuerySnapshot) -> Bool {
    a.query == b.query && a.values == b.values
  }

  /// Hashes the question.
  public func hash(into hasher: inout Hasher) { hasher.combine(query) }
}
