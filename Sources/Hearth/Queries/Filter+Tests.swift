import Foundation
public import HearthModel

extension Filter {
  /// Matches documents whose field, a dotted path, equals a value.
  public static func whereField(_ field: String, isEqualTo value: Any) -> Filter {
    Filter(field, .equal, value)
  }

  /// Matches documents whose field, a dotted path, is there and differs from a value.
  public static func whereField(_ field: String, isNotEqualTo value: Any) -> Filter {
    Filter(field, .notEqual, value)
  }

  /// Matches documents whose field, a dotted path, is less than a value of the same type.
  public static func whereField(_ field: String, isLessThan value: Any) -> Filter {
    Filter(field, .lessThan, value)
  }

  /// Matches documents whose field, a dotted path, is at most a value of the same type.
  public static func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(field, .lessThanOrEqual, value)
  }

  /// Matches documents whose field, a dotted path, is greater than a value of the same type.
  public static func whereField(_ field: String, isGreaterThan value: Any) -> Filter {
    Filter(field, .greaterThan, value)
  }

  /// Matches documents whose field, a dotted path, is at least a value of the same type.
  public static func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Filter {
    Filter(field, .greaterThanOrEqual, value)
  }

  /// Matches documents whose field, a dotted path, is at least a value (SDK spelling).
  public static func whereField(_ field: String, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(field, .greaterThanOrEqual, value)
  }

  /// Matches documents whose field, a dotted path, is an array with an element.
  public static func whereField(_ field: String, arrayContains value: Any) -> Filter {
    Filter(field, .arrayContains, value)
  }

  /// Matches documents whose field, a dotted path, is an array with one of these elements.
  public static func whereField(_ field: String, arrayContainsAny values: [Any]) -> Filter {
    Filter(field, .arrayContainsAny, values)
  }

  /// Matches documents whose field, a dotted path, equals one of these values.
  public static func whereField(_ field: String, in values: [Any]) -> Filter {
    Filter(field, .in, values)
  }

  /// Matches documents whose field, a dotted path, is there with none of these values.
  public static func whereField(_ field: String, notIn values: [Any]) -> Filter {
    Filter(field, .notIn, values)
  }

  /// Matches documents whose field equals a value.
  public static func whereField(_ path: FieldPath, isEqualTo value: Any) -> Filter {
    Filter(path, .equal, value)
  }

  /// Matches documents whose field is there and differs from a value.
  public static func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Filter {
    Filter(path, .notEqual, value)
  }

  /// Matches documents whose field is less than a value of the same type.
  public static func whereField(_ path: FieldPath, isLessThan value: Any) -> Filter {
    Filter(path, .lessThan, value)
  }

  /// Matches documents whose field is at most a value of the same type.
  public static func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(path, .lessThanOrEqual, value)
  }

  /// Matches documents whose field is greater than a value of the same type.
  public static func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Filter {
    Filter(path, .greaterThan, value)
  }

  /// Matches documents whose field is at least a value of the same type.
  public static func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Filter {
    Filter(path, .greaterThanOrEqual, value)
  }

  /// Matches documents whose field is at least a value of the same type (SDK spelling).
  public static func whereField(_ path: FieldPath, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(path, .greaterThanOrEqual, value)
  }

  /// Matches documents whose field is an array with an element.
  public static func whereField(_ path: FieldPath, arrayContains value: Any) -> Filter {
    Filter(path, .arrayContains, value)
  }

  /// Matches documents whose field is an array with one of these elements.
  public static func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Filter {
    Filter(path, .arrayContainsAny, values)
  }

  /// Matches documents whose field equals one of these values.
  public static func whereField(_ path: FieldPath, in values: [Any]) -> Filter {
    Filter(path, .in, values)
  }

  /// Matches documents whose field is there with none of these values.
  public static func whereField(_ path: FieldPath, notIn values: [Any]) -> Filter {
    Filter(path, .notIn, values)
  }
}
