import Foundation
import HearthModel

extension Wire {
  /// A write; `time` tells the update time that a precondition's number stands for.
  static func write(_ write: Write, time: (Int) -> String) -> JSON {
    var members: [(String, JSON)] = []
    switch write.operation {
    case .delete: members.append(("delete", name(write.document)))
    case .update(let fields, let mask, let transforms):
      members.append(
        ("update", .object([("name", name(write.document)), ("fields", Wire.fields(fields))])))
      if let mask {
        members.append(("updateMask", .object([("fieldPaths", .array(mask.map(fieldPath)))])))
      }
      if !transforms.isEmpty {
        members.append(("updateTransforms", .array(transforms.map(transform))))
      }
    }
    switch write.precondition {
    case .exists(let exists)?:
      members.append(("currentDocument", .object([("exists", .boolean(exists))])))
    case .updateTime(let number)?:
      let text = time(Int(number.microseconds))
      members.append(("currentDocument", .object([("updateTime", .string(text))])))
    case nil: break
    }
    return .object(members)
  }

  private static func transform(_ transform: FieldTransform) -> JSON {
    let action: (String, JSON) =
      switch transform.kind {
      case .serverTimestamp: ("setToServerValue", .string("REQUEST_TIME"))
      case .increment(let x): ("increment", value(x))
      case .maximum(let x): ("maximum", value(x))
      case .minimum(let x): ("minimum", value(x))
      case .arrayUnion(let x): ("appendMissingElements", values(x))
      case .arrayRemove(let x): ("removeAllFromArray", values(x))
      }
    return .object([("fieldPath", fieldPath(transform.path)), action])
  }

  /// A structured query; `limit(toLast:)` as SDKs send it: everything turned round.
  static func query(_ query: StructuredQuery) -> JSON {
    let isGroup: Bool
    if case .collectionGroup = query.scope { isGroup = true } else { isGroup = false }
    var members: [(String, JSON)] = [
      (
        "from",
        .array([
          .object([
            ("collectionId", .string(query.collectionID)), ("allDescendants", .boolean(isGroup)),
          ])
        ])
      )
    ]
    if let paths = query.projection {
      // An empty list would mean all fields.
      let names = paths.isEmpty ? [FieldPath.documentName] : paths
      members.append(
        ("select", .object([("fields", .array(names.map { .object([field($0)]) }))])))
    }
    if let filter = query.filter { members.append(("where", Wire.filter(filter))) }
    let turned = query.limitIsToLast
    if !query.orderBy.isEmpty {
      members.append(
        ("orderBy", .array(query.orderBy.map { order($0, turned: turned) })))
    }
    if let start = turned ? query.end : query.start {
      members.append(("startAt", bound(start, before: start.inclusive)))
    }
    if let end = turned ? query.start : query.end {
      members.append(("endAt", bound(end, before: !end.inclusive)))
    }
    if query.offset != 0 { members.append(("offset", .number("\(query.offset)"))) }
    if let limit = query.limit { members.append(("limit", .number("\(limit)"))) }
    return .object(members)
  }

  private static func field(_ path: FieldPath) -> (String, JSON) { ("fieldPath", fieldPath(path)) }

  private static func order(_ order: OrderBy, turned: Bool) -> JSON {
    let direction = turned ? order.direction.reversed : order.direction
    return .object([
      ("field", .object([field(order.path)])),
      ("direction", .string(direction == .ascending ? "ASCENDING" : "DESCENDING")),
    ])
  }

  private static func bound(_ bound: Bound, before: Bool) -> JSON {
    .object([
      ("values", .array(bound.values.map { value($0) })), ("before", .boolean(before)),
    ])
  }

  private static func filter(_ filter: QueryFilter) -> JSON {
    func composite(_ op: String, _ children: [QueryFilter]) -> JSON {
      .object([
        (
          "compositeFilter",
          .object([
            ("op", .string(op)), ("filters", .array(children.map { Wire.filter($0) })),
          ])
        )
      ])
    }
    switch filter {
    case .and(let children): return composite("AND", children)
    case .or(let children): return composite("OR", children)
    case .field(let test): return Wire.test(test)
    }
  }

  /// One test; those for null and NaN are unary on the wire, as SDKs send them.
  private static func test(_ test: FieldFilter) -> JSON {
    let field = ("field", JSON.object([field(test.path)]))
    if let unary = unary(test) {
      return .object([("unaryFilter", .object([("op", .string(unary)), field]))])
    }
    let op =
      switch test.op {
      case .notEqual: "NOT_EQUAL"
      case .lessThan: "LESS_THAN"
      case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
      case .greaterThan: "GREATER_THAN"
      case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
      case .arrayContains: "ARRAY_CONTAINS"
      case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
      case .in: "IN"
      case .notIn: "NOT_IN"
      default: "EQUAL"
      }
    return .object([
      ("fieldFilter", .object([field, ("op", .string(op)), ("value", value(test.value))]))
    ])
  }

  private static func unary(_ test: FieldFilter) -> String? {
    switch test.op {
    case .isNull: return "IS_NULL"
    case .isNaN: return "IS_NAN"
    case .isNotNull: return "IS_NOT_NULL"
    case .isNotNaN: return "IS_NOT_NAN"
    case .equal: return test.value.isNull ? "IS_NULL" : test.value.isNaN ? "IS_NAN" : nil
    case .notEqual: return test.value.isNull ? "IS_NOT_NULL" : test.value.isNaN ? "IS_NOT_NAN" : nil
    default: return nil
    }
  }

  static func aggregation(_ aggregation: Aggregation) -> JSON {
    var members: [(String, JSON)] = []
    if let alias = aggregation.alias { members.append(("alias", .string(alias.string))) }
    switch aggregation.kind {
    case .count(let cap):
      members.append(("count", .object(cap.map { [("upTo", .string("\($0)"))] } ?? [])))
    case .sum(let path):
      members.append(("sum", .object([("field", .object([field(path)]))])))
    case .average(let path):
      members.append(("avg", .object([("field", .object([field(path)]))])))
    }
    return .object(members)
  }

  /// The part of an address that names what a query's collections lie under.
  static func parentTarget(_ query: StructuredQuery) -> String {
    let parent: DocumentPath? =
      switch query.scope {
      case .collection(let path): path.parent
      case .collectionGroup: query.ancestor
      }
    let segments = parent?.segments ?? []
    let allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."~"))
    return segments.map {
      "/" + ($0.addingPercentEncoding(withAllowedCharacters: allowed) ?? $0)
    }.joined()
  }
}
