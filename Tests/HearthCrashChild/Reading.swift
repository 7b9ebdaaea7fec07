import Foundation
import Hearth

/// Reads everything in each of the databases named on standard input, in all ways there are, and
/// writes one line for each: what it read as one number and how many findings `verify` had, or the
/// error.
func readAll() async {
  while let path = readLine() {
    do {
      let settings = FirestoreSettings()
      settings.durability = .none
      let database = try await Firestore.open(at: URL(filePath: path), settings: settings)
      let (digest, failure) = await digest(database)
      let findings = await findings(database)
      try await database.terminate()
      answer(failure ?? "read \(String(digest, radix: 16)) \(findings)")
    } catch {
      answer("open \(text(error))")
    }
  }
}

private func digest(_ database: Firestore) async -> (UInt64, String?) {
  var digest = Digest()
  do {
    let things = database.collection("things")
    var queries: [Query] = [
      things, things.order(by: "value"), things.order(by: "value", descending: true),
      database.collection("things/t5/parts"),
    ]
    for kind in 0..<7 {
      queries.append(things.whereField("kind", isEqualTo: kind).order(by: "value"))
    }
    for query in queries {
      for document in try await query.getDocuments().documents { digest.add(document) }
    }
    for number in 0..<120 { digest.add(try await things.document("t\(number)").getDocument()) }
    return (digest.value, nil)
  } catch {
    return (0, "error \(text(error))")
  }
}

private func findings(_ database: Firestore) async -> Int {
  do {
    return try await database.verify().findings.count
  } catch {
    return 1
  }
}

private func text(_ error: any Error) -> String {
  guard let error = error as? HearthError else { return "UNTYPED \(error)" }
  return "\(error.status.name) \(error.reason)"
}

private func answer(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// FNV-1a over everything that was read, in order.
private struct Digest {
  var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ document: DocumentSnapshot) {
    add(document.documentID)
    guard document.exists else { return add("missing") }
    for (name, field) in (document.data() ?? [:]).sorted(by: { $0.key < $1.key }) {
      add(name)
      add("\(field)")
    }
    if let time = document.updateTime { add("\(time.seconds).\(time.nanoseconds)") }
  }

  private mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    value = (value ^ 0xff) &* 0x100_0000_01b3
  }
}
