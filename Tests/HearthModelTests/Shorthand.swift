import HearthModel
import Testing

// Values as the specification writes them: 1, 1.0, "x", [1, 2], ["a": 1].

func i(_ x: Int64) -> Value { .integer(x) }
func d(_ x: Double) -> Value { .double(x) }
func s(_ x: String) -> Value { .string(x) }
func list(_ x: Value...) -> Value { .array(x) }
func map(_ x: Fields) -> Value { .map(x) }
func vec(_ x: Double...) -> Value { .vector(VectorValue(x)) }
func ref(_ x: String) throws -> Value { .reference(try DocumentPath(x)) }
let nan = Value.double(.nan)

func field(_ names: String...) -> FieldPath { FieldPath(names) }

/// Expects a failure with this code and reason; messages are never matched.
func expectFailure<T>(
  _ reason: String, _ code: FirestoreErrorCode.Code = .invalidArgument,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
) {
  do {
    let value = try body()
    Issue.record("expected \(reason), got \(value)", sourceLocation: sourceLocation)
  } catch let error as HearthError {
    #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
    #expect(error.status == code, "\(error)", sourceLocation: sourceLocation)
    #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}

/// The reason of a failure, nil if there is none.
func reason<T>(of body: () throws -> T) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? HearthError)?.reason ?? "\(error)"
  }
}
