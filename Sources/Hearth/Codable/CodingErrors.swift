/// What an encoder of Firestore's cannot do.
public enum FirestoreEncodingError: Error, Sendable {
  /// A type that only Firestore's encoder knows was given to another one.
  case encodingIsNotSupported(_ message: String)
}

/// What a decoder of Firestore's cannot do.
public enum FirestoreDecodingError: Error, Sendable {
  /// A type that only Firestore's decoder knows was asked of another one, or there is no
  /// document whose place could be given.
  case decodingIsNotSupported(_ message: String)
  /// A field has the name of a property marked ``DocumentID``, and the decoder was told to mind.
  case fieldNameConflict(_ message: String)
}
