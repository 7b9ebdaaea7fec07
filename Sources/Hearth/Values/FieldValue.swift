import Foundation
public import HearthModel

/// A value that stands for a change to be computed at commit, or for the removal of a field.
public final class FieldValue: Sendable {
  enum Kind: Sendable, Hashable {
    case delete
    case serverTimestamp
    case arrayUnion([Value])
    case arrayRemove([Value])
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
  }

  let kind: Kind
  /// The database of references among the operands.
  let database: Firestore?
  /// What is wrong with the operands; the write that uses them fails with it.
  let error: HearthError?

  private init(_ kind: Kind, database: Firestore? = nil, error: HearthError? = nil) {
    self.kind = kind
    self.database = database
    self.error = error
  }

  private static func array(_ elements: [Any], _ kind: ([Value]) -> Kind) -> FieldValue {
    var reader = ValueReader(database: nil)
    do throws(HearthError) {
      var values: [Value] = []
      for element in elements {
        // An operand is an element of an array, with the rules of one.
        if let value = try reader.read(element, at: ["[]"], .element) { values.append(value) }
      }
      return FieldValue(kind(values), database: reader.seen)
    } catch {
      return FieldValue(kind([]), error: Hearth.misused(error))
    }
  }

  /// Removes the field; for `updateData`, and for `setData` with merge.
  public static func delete() -> FieldValue { FieldValue(.delete) }

  /// The time of the commit.
  public static func serverTimestamp() -> FieldValue { FieldValue(.serverTimestamp) }

  /// Appends those elements that the stored array lacks; what is no array becomes one.
  public static func arrayUnion(_ elements: [Any]) -> FieldValue {
    array(elements) { .arrayUnion($0) }
  }

  /// Removes all occurrences of elements from the stored array; what is no array becomes `[]`.
  public static func arrayRemove(_ elements: [Any]) -> FieldValue {
    array(elements) { .arrayRemove($0) }
  }

  /// Adds to the stored number, saturating; what is no number becomes the operand.
  public static func increment(_ by: Int64) -> FieldValue { FieldValue(.increment(.integer(by))) }

  /// Adds to the stored number, saturating; what is no number becomes the operand.
  public static func increment(_ by: Int) -> FieldValue { increment(Int64(by)) }

  /// Adds to the stored number; what is no number becomes the operand.
  public static func increment(_ by: Double) -> FieldValue { FieldValue(.increment(.double(by))) }

  /// The larger of the stored number and the operand.
  public static func maximum(_ of: Int64) -> FieldValue { FieldValue(.maximum(.integer(of))) }

  /// The larger of the stored number and the operand.
  public static func maximum(_ of: Int) -> FieldValue { maximum(Int64(of)) }

  /// The larger of the stored number and the operand.
  public static func maximum(_ of: Double) -> FieldValue { FieldValue(.maximum(.double(of))) }

  /// The smaller of the stored number and the operand.
  public static func minimum(_ of: Int64) -> FieldValue { FieldValue(.minimum(.integer(of))) }

  /// The smaller of the stored number and the operand.
  public static func minimum(_ of: Int) -> FieldValue { minimum(Int64(of)) }

  /// The smaller of the stored number and the operand.
  public static func minimum(_ of: Double) -> FieldValue { FieldValue(.minimum(.double(of))) }

  /// A vector value of doubles.
  public static func vector(_ array: [Double]) -> VectorValue { VectorValue(array) }

  /// A vector value of floats, widened exactly.
  public static func vector(_ array: [Float]) -> VectorValue { VectorValue(array.map(Double.init)) }

  /// The transform of the model; nil for the removal of a field.
  var transform: FieldTransform.Kind? {
    switch kind {
    case .delete: nil
    case .serverTimestamp: .serverTimestamp
    case .arrayUnion(let values): .arrayUnion(values)
    case .arrayRemove(let values): .arrayRemove(values)
    case .increment(let value): .increment(value)
    case .maximum(let value): .maximum(value)
    case .minimum(let value): .minimum(value)
    }
  }

  /// The name of the factory, for messages.
  var name: String {
    switch kind {
    case .delete: "delete()"
    case .serverTimestamp: "serverTimestamp()"
    case .arrayUnion: "arrayUnion()"
    case .arrayRemove: "arrayRemove()"
    case .increment: "increment()"
    case .maximum: "maximum()"
    case .minimum: "minimum()"
    }
  }
}

extension FieldValue: Hashable {
  /// Same kind and same operands.
  public static func == (a: FieldValue, b: FieldValue) -> Bool { a.kind == b.kind }

  /// Hashes kind and operands.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension FieldValue: Encodable {
  /// Passes through ``Firestore/Encoder``; other encoders get `encodingIsNotSupported`.
  public func encode(to encoder: any Swift.Encoder) throws {
    guard let encoder = encoder as? NodeEncoder else {
      throw FirestoreEncodingError.encodingIsNotSupported(
        "FieldValue can only be encoded with Firestore.Encoder")
    }
    encoder.node.content = .sentinel(self)
  }
}
