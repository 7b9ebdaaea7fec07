public import Foundation
import HearthModel

/// The strategies of ``Firestore/Encoder``.
public enum FirebaseDataEncoder {
  /// How dates are stored.
  public enum DateEncodingStrategy {
    /// As `Date` encodes itself: seconds since 2001 as a double.
    case deferredToDate
    /// Seconds since 1970 as a double.
    case secondsSince1970
    /// Milliseconds since 1970 as a double.
    case millisecondsSince1970
    /// An internet date-time string without a fraction.
    case iso8601
    /// A string made by a formatter.
    case formatted(DateFormatter)
    /// Whatever the closure encodes; nothing encoded gives an empty map.
    case custom((Date, any Swift.Encoder) throws -> Void)

    /// A timestamp; the default.
    public static var timestamp: DateEncodingStrategy {
      .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(Timestamp(storing: date))
      }
    }
  }

  /// How data is stored.
  public enum DataEncodingStrategy {
    /// As `Data` encodes itself: an array of integers.
    case deferredToData
    /// A base64 string.
    case base64
    /// Whatever the closure encodes; nothing encoded gives an empty map.
    case custom((Data, any Swift.Encoder) throws -> Void)
    /// Bytes; the default.
    case blob
  }

  /// What to do with NaN and the infinities.
  public enum NonConformingFloatEncodingStrategy: Sendable {
    /// Throw `EncodingError.invalidValue`; the default.
    case `throw`
    /// Store these strings.
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    /// Store them; Firestore's doubles have all three.
    case allow
  }

  /// How names of properties become names of fields.
  public enum KeyEncodingStrategy {
    /// Unchanged; the default.
    case useDefaultKeys
    /// `oneTwoThree` becomes `one_two_three`. Keys of `[String: V]` stay as they are.
    case convertToSnakeCase
    /// Whatever the closure makes of the coding path; its last key is the one in question.
    case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
  }

  /// How decimals are stored.
  public enum DecimalEncodingStrategy: Sendable {
    /// The nearest double; the default.
    case double
    /// The decimal digits as a string, which loses nothing.
    case string
  }
}

/// The strategies of ``Firestore/Decoder``.
public enum FirebaseDataDecoder {
  /// How dates are read.
  public enum DateDecodingStrategy {
    /// As `Date` decodes itself: seconds since 2001.
    case deferredToDate
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970.
    case millisecondsSince1970
    /// An internet date-time string.
    case iso8601
    /// A string read by a formatter.
    case formatted(DateFormatter)
    /// Whatever the closure decodes.
    case custom((any Swift.Decoder) throws -> Date)

    /// A timestamp only; the default.
    public static var timestamp: DateDecodingStrategy {
      .custom { decoder in
        try decoder.singleValueContainer().decode(Timestamp.self).dateValue()
      }
    }
  }

  /// How data is read.
  public enum DataDecodingStrategy {
    /// As `Data` decodes itself: an array of integers.
    case deferredToData
    /// A base64 string.
    case base64
    /// Whatever the closure decodes.
    case custom((any Swift.Decoder) throws -> Data)
    /// Bytes, and base64 strings as old releases of the SDK wrote them; the default.
    case blob
  }

  /// What else than a number is read as a floating-point number.
  public enum NonConformingFloatDecodingStrategy: Sendable {
    /// Nothing; a stored NaN or infinity is a number. The default.
    case `throw`
    /// These strings.
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// How names of fields become names of properties.
  public enum KeyDecodingStrategy {
    /// Unchanged; the default.
    case useDefaultKeys
    /// `one_two_three` becomes `oneTwoThree`; of fields with one result the bytewise smallest
    /// counts. Keys of `[String: V]` stay as they are.
    case convertFromSnakeCase
    /// Whatever the closure makes of the coding path; its last key is the one in question.
    case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
  }

  /// What to do with a field that has the name of a property marked ``DocumentID``.
  public enum DocumentIDConflictStrategy: Sendable {
    /// Ignore the field; the default.
    case ignoreField
    /// Throw ``FirestoreDecodingError/fieldNameConflict(_:)``.
    case `throw`
  }
}
