package import HearthModel

/// Documents as records: a header of fixed size, then the fields as ``MapForm`` lays them out.
package enum DocumentCodec {
  /// The format byte of this version.
  package static let format: UInt8 = 1
  /// Where the create version stands: eight bytes, little end first.
  package static let createVersionOffset = 1
  /// Where the update version stands: eight bytes, little end first.
  package static let updateVersionOffset = 9
  /// Where the fields begin.
  package static let fieldsOffset = 17

  /// The fields' part of a record.
  ///
  /// It needs no version, so a writer makes it on its own task.
  package static func encode(_ fields: Fields) -> [UInt8] {
    var writer = ByteWriter(capacity: 32 + 24 * fields.count)
    MapForm.write(fields, to: &writer)
    return writer.bytes
  }

  /// The record of a document whose fields are encoded.
  package static func record(
    create: CommitVersion, update: CommitVersion, fields: [UInt8]
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: fieldsOffset + fields.count)
    writer.byte(format)
    writer.fixed64(UInt64(bitPattern: create.microseconds))
    writer.fixed64(UInt64(bitPattern: update.microseconds))
    writer.bytes.append(contentsOf: fields)
    return writer.bytes
  }

  /// Puts other versions into a record, which is much cheaper than building it again.
  package static func setVersions(
    create: CommitVersion, update: CommitVersion, in record: inout [UInt8]
  ) {
    guard record.count >= fieldsOffset else { return }
    for (offset, version) in [(createVersionOffset, create), (updateVersionOffset, update)] {
      let bits = UInt64(bitPattern: version.microseconds)
      for i in 0..<8 { record[offset + i] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * i)) }
    }
  }

  /// The versions in a record's header.
  package static func versions(
    of record: RawSpan
  ) throws(HearthError) -> (create: CommitVersion, update: CommitVersion) {
    guard record.byteCount >= fieldsOffset else {
      throw Corruption.malformed("a record is shorter than its header")
    }
    let byte = record.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
    guard byte == format else { throw Corruption.format(byte) }
    return (version(record, createVersionOffset), version(record, updateVersionOffset))
  }

  /// Safe: `versions` has found the whole header to be there.
  private static func version(_ record: RawSpan, _ offset: Int) -> CommitVersion {
    let bits = record.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return CommitVersion(microseconds: Int64(bitPattern: UInt64(littleEndian: bits)))
  }
}

/// A document as it is stored, decoded only where it is asked.
package struct EncodedDocument: Sendable {
  package let record: [UInt8]
  package let createVersion: CommitVersion
  package let updateVersion: CommitVersion

  /// Adopts a record; checks its header and that its fields fill the rest exactly.
  package init(record: [UInt8]) throws(HearthError) {
    (createVersion, updateVersion) = try DocumentCodec.versions(of: record.span.bytes)
    self.record = record
    var reader = ByteReader(record, from: DocumentCodec.fieldsOffset)
    let form = try MapForm(&reader)
    guard form.content.upperBound == record.count else {
      throw Corruption.malformed("a record has bytes behind its fields")
    }
  }

  /// Copies a record out of memory that will not last.
  package init(copying record: RawSpan) throws(HearthError) {
    try self.init(record: record.withUnsafeBytes { Array($0) })
  }

  /// The size of the record.
  package var byteCount: Int { record.count }

  /// The fields' part of the record, as `DocumentCodec.encode` made it.
  package var fieldBytes: ArraySlice<UInt8> { record[DocumentCodec.fieldsOffset...] }

  /// All fields.
  package func fields() throws(HearthError) -> Fields {
    var reader = ByteReader(record, from: DocumentCodec.fieldsOffset)
    return try MapForm.read(&reader, depth: 0)
  }

  /// The value at a field path, found without decoding anything else; nil if it is missing.
  package func value(at path: FieldPath) throws(HearthError) -> Value? {
    var reader = ByteReader(record, from: DocumentCodec.fieldsOffset)
    var left = path.segments.count
    for segment in path.segments {
      let form = try MapForm(&reader)
      guard try form.find(segment, &reader) else { return nil }
      left -= 1
      if left == 0 {
        let value = try ValueCodec.read(&reader, depth: path.segments.count)
        guard reader.isAtEnd else { throw Corruption.malformed("a field is too long") }
        return value
      }
      guard try reader.byte() == ValueCodec.Tag.map else { return nil }
    }
    return nil
  }
}

extension EncodedDocument: Equatable {
  /// Equal if all bytes are, versions included.
  package static func == (a: EncodedDocument, b: EncodedDocument) -> Bool { a.record == b.record }
}
