import Foundation
import HearthModel
import Testing

@Suite struct HearthErrorTests {
  @Test func `an error is an NSError of Firestore's domain with Firestore's code`() {
    let error: any Error = HearthError(.failedPrecondition, "INDEX_MISSING", "The query …")
    let nsError = error as NSError
    #expect(nsError.domain == "FIRFirestoreErrorDomain")
    #expect(nsError.code == 9)
    #expect(nsError.localizedDescription == "The query …")
    #expect(nsError.userInfo[HearthErrorReasonKey] as? String == "INDEX_MISSING")
    #expect(error.firestoreStatus == .failedPrecondition)
  }

  @Test func `a catch clause can name the code`() {
    do {
      throw HearthError(.aborted, "CONTENTION", "lost")
    } catch FirestoreErrorCode.aborted {
    } catch {
      Issue.record(error)
    }
  }

  @Test func `the codes are those of gRPC`() {
    #expect(FirestoreErrorCode.Code.allCases.map(\.rawValue) == Array(0...16))
    #expect(FirestoreErrorCode.Code.unauthenticated.rawValue == 16)
    #expect(FirestoreErrorCode.Code.failedPrecondition.name == "FAILED_PRECONDITION")
  }

  @Test func `a missing index travels in the user info`() {
    let definition = IndexDefinition(
      collectionID: "r", fields: [IndexField(field("a"), .ascending)])
    let error = HearthError(
      .failedPrecondition, "INDEX_MISSING", "The query requires an index.",
      details: .missingIndex(MissingIndexDetails(definition: definition, json: "{}")))
    #expect((error as NSError).userInfo[HearthErrorIndexDefinitionKey] as? String == "{}")
  }
}
