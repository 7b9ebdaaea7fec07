import Foundation
import HearthModel

/// A condition on a document's fields, to be combined with others.
///
/// What is wrong with a filter is remembered, and the call that runs its query fails with it.
public final class Filter: Sendable {
  let content: Result<QueryFilter, HearthError>
  /// The database of references among the operands.
  let database: Firestore?
  private let depth: Int
  /// A query may have a hundred components, so no deeper filter can run.
  private static let deepest = 100

  /// One test; `field` is a dotted string or a `FieldPath`.
  init(_ field: Any, _ op: FilterOperator, _ operand: Any) {
    var reader = ValueReader(database: nil)
    do throws(HearthError) {
      let path = try FieldPath(untyped: field)
      let value: Value
      switch op {
      case .in, .notIn, .arrayContainsAny:
        // The list is no array value: its elements may be arrays.
        var values: [Value] = []
        for element in operand as? [Any] ?? [operand] {
          if let value = try reader.read(element, at: path.segments, .operand) {
            values.append(value)
          }
        }
        value = .array(values)
      default:
        value = try reader.read(operand, at: path.segments, .operand) ?? .null
      }
      content = .success(.field(Filter.test(path, op, value)))
    } catch {
      content = .failure(Hearth.misused(error))
    }
    database = reader.seen
    depth = 1
  }

  private init(combining filters: [Filter], _ combine: ([QueryFilter]) -> QueryFilter) {
    var members: [QueryFilter] = []
    var database: Firestore?
    depth = 1 + (filters.map(\.depth).max() ?? 0)
    do throws(HearthError) {
      if depth > Filter.deepest {
        throw .invalid(
          "TOO_MANY_COMPONENTS", "Filters may be nested \(Filter.deepest) deep at most.")
      }
      for filter in filters {
        members.append(try filter.content.get())
        if let other = filter.database {
          if let database, database !== other { throw ValueReader.foreign }
          database = other
        }
      }
      content = .success(combine(members))
    } catch {
      content = .failure(error)
    }
    self.database = database
  }

  /// Equality with null and NaN has operators of its own.
  private static func test(_ path: FieldPath, _ op: FilterOperator, _ value: Value) -> FieldFilter {
    switch (op, value.isNull, value.isNaN) {
    case (.equal, true, _): FieldFilter(path, .isNull, .null)
    case (.equal, _, true): FieldFilter(path, .isNaN, .null)
    case (.notEqual, true, _): FieldFilter(path, .isNotNull, .null)
    case (.notEqual, _, true): FieldFilter(path, .isNotNaN, .null)
    default: FieldFilter(path, op, value)
    }
  }

  /// Matches documents that at least one of the filters matches.
  public static func orFilter(_ filters: [Filter]) -> Filter {
    Filter(combining: filters) { .or($0) }
  }

  /// Matches documents that all of the filters match.
  public static func andFilter(_ filters: [Filter]) -> Filter {
    Filter(combining: filters) { .and($0) }
  }
}
