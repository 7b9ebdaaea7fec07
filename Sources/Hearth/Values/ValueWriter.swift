import Foundation
import HearthModel

/// Turns the model's values into untyped Swift values (the API's table 7.2).
struct ValueWriter {
  let database: Firestore

  /// Numbers and booleans are `NSNumber`s on every platform, so that `as? Int` and its kin work
  /// as Firestore code expects.
  func untyped(_ value: Value) -> Any {
    switch value {
    case .null: NSNull()
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .timestamp(let time): time
    case .string(let string): string
    case .bytes(let bytes): Data(bytes)
    case .reference(let path): DocumentReference(database, path)
    case .geoPoint(let point): point
    case .array(let values): values.map(untyped)
    case .vector(let vector): vector
    case .map(let fields): untyped(fields)
    }
  }

  func untyped(_ fields: Fields) -> [String: Any] {
    var result: [String: Any] = [:]
    result.reserveCapacity(fields.count)
    for field in fields { result[field.name] = untyped(field.value) }
    return result
  }
}
