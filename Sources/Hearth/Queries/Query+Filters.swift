import Foundation
public import HearthModel

extension Query {
  /// Keeps documents that a filter matches, besides the filters given before.
  public func whereFilter(_ filter: Filter) -> Query {
    changed { (query) throws(HearthError) in
      if let database = filter.database, database !== firestore { throw ValueReader.foreign }
      let added = try filter.content.get()
      switch (query.filter, added) {
      case (nil, _): query.filter = added
      case (.and(let members)?, _): query.filter = .and(members + [added])
      case (let before?, _): query.filter = .and([before, added])
      }
    }
  }

  /// Keeps documents whose field equals a value; null and NaN are tested for being that.
  public func whereField(_ field: String, isEqualTo value: Any) -> Query {
    whereFilter(Filter(field, .equal, value))
  }

  /// Keeps documents that have the field with another value than this, null excepted.
  public func whereField(_ field: String, isNotEqualTo value: Any) -> Query {
    whereFilter(Filter(field, .notEqual, value))
  }

  /// Keeps documents whose field is less than a value of the same type.
  public func whereField(_ field: String, isLessThan value: Any) -> Query {
    whereFilter(Filter(field, .lessThan, value))
  }

  /// Keeps documents whose field is at most a value of the same type.
  public func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Query {
    whereFilter(Filter(field, .lessThanOrEqual, value))
  }

  /// Keeps documents whose field is greater than a value of the same type.
  public func whereField(_ field: String, isGreaterThan value: Any) -> Query {
    whereFilter(Filter(field, .greaterThan, value))
  }

  /// Keeps documents whose field is at least a value of the same type.
  public func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Query {
    whereFilter(Filter(field, .greaterThanOrEqual, value))
  }

  /// Keeps documents whose field is an array with this element.
  public func whereField(_ field: String, arrayContains value: Any) -> Query {
    whereFilter(Filter(field, .arrayContains, value))
  }

  /// Keeps documents whose field is an array with at least one of these elements.
  public func whereField(_ field: String, arrayContainsAny values: [Any]) -> Query {
    whereFilter(Filter(field, .arrayContainsAny, values))
  }

  /// Keeps documents whose field equals one of these values.
  public func whereField(_ field: String, in values: [Any]) -> Query {
    whereFilter(Filter(field, .in, values))
  }

  /// Keeps documents that have the field with none of these values.
  public func whereField(_ field: String, notIn values: [Any]) -> Query {
    whereFilter(Filter(field, .notIn, values))
  }

  /// Keeps documents whose field equals a value; null and NaN are tested for being that.
  public func whereField(_ path: FieldPath, isEqualTo value: Any) -> Query {
    whereFilter(Filter(path, .equal, value))
  }

  /// Keeps documents that have the field with another value than this, null excepted.
  public func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Query {
    whereFilter(Filter(path, .notEqual, value))
  }

  /// Keeps documents whose field is less than a value of the same type.
  public func whereField(_ path: FieldPath, isLessThan value: Any) -> Query {
    whereFilter(Filter(path, .lessThan, value))
  }

  /// Keeps documents whose field is at most a value of the same type.
  public func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Query {
    whereFilter(Filter(path, .lessThanOrEqual, value))
  }

  /// Keeps documents whose field is greater than a value of the same type.
  public func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Query {
    whereFilter(Filter(path, .greaterThan, value))
  }

  /// Keeps documents whose field is at least a value of the same type.
  public func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Query {
    whereFilter(Filter(path, .greaterThanOrEqual, value))
  }

  /// Keeps documents whose field is an array with this element.
  public func whereField(_ path: FieldPath, arrayContains value: Any) -> Query {
    whereFilter(Filter(path, .arrayContains, value))
  }

  /// Keeps documents whose field is an array with at least one of these elements.
  public func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Query {
    whereFilter(Filter(path, .arrayContainsAny, values))
  }

  /// Keeps documents whose field equals one of these values.
  public func whereField(_ path: FieldPath, in values: [Any]) -> Query {
    whereFilter(Filter(path, .in, values))
  }

  /// Keeps documents that have the field with none of these values.
  public func whereField(_ path: FieldPath, notIn values: [Any]) -> Query {
    whereFilter(Filter(path, .notIn, values))
  }
}
