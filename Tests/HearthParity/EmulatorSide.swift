import HearthModel

/// The emulator, through its REST interface.
struct EmulatorSide: Side {
  /// The times that servers may give during this run.
  let run: ClosedRange<Int64>
  private let connection: HTTPConnection
  private var commits = Commits<String>()
  /// What the last error said, for people.
  private(set) var message = ""

  init(port: UInt16, run: ClosedRange<Int64>) {
    connection = HTTPConnection(port: port)
    self.run = run
  }

  mutating func reset() throws {
    let target = "/emulator/v1/\(Wire.database)/documents"
    let response = try connection.call("DELETE", target)
    guard response.status == 200 else {
      throw HTTPConnection.Failure(description: "clearing gave \(response.status)")
    }
    commits = Commits()
  }

  /// The body of a request as it is sent.
  func body(_ request: Request) -> JSON {
    switch request {
    case .commit(let writes):
      let list = writes.map { write in
        Wire.write(write) { commits.time($0) ?? "2001-01-01T00:00:00Z" }
      }
      return .object([("writes", .array(list))])
    case .read(let paths):
      return .object([("documents", .array(paths.map { Wire.name($0) }))])
    case .query(let query):
      return .object([("structuredQuery", Wire.query(query))])
    case .aggregate(let query, let aggregations):
      let inner = JSON.object([
        ("structuredQuery", Wire.query(query)),
        ("aggregations", .array(aggregations.map { Wire.aggregation($0) })),
      ])
      return .object([("structuredAggregationQuery", inner)])
    }
  }

  /// The address of a request.
  func target(_ request: Request) -> String {
    let documents = "/v1/\(Wire.root)"
    switch request {
    case .commit: return documents + ":commit"
    case .read: return documents + ":batchGet"
    case .query(let query): return documents + Wire.parentTarget(query) + ":runQuery"
    case .aggregate(let query, _):
      return documents + Wire.parentTarget(query) + ":runAggregationQuery"
    }
  }

  mutating func ask(_ request: Request) throws -> Answer {
    let response = try connection.call("POST", target(request), body: body(request).text)
    guard let json = try? JSON(response.body) else {
      throw HTTPConnection.Failure(
        description: "\(response.status) \(String(decoding: response.body, as: UTF8.self))")
    }
    if let failure = failure(json) {
      message = failure.message
      return .failure(failure.status)
    }
    switch request {
    case .commit: return try commit(json)
    case .read(let paths): return try read(json, paths)
    case .query(let query):
      let documents = try json.elements.compactMap { $0["document"] }.map { try document($0) }
      return .documents(query.limitIsToLast ? documents.reversed() : documents)
    case .aggregate: return try aggregates(json)
    }
  }

  /// An error stands for itself, or in the place of a stream's last element.
  private func failure(_ json: JSON) -> (status: String, message: String)? {
    for part in [json] + json.elements {
      guard let error = part["error"] else { continue }
      return (error["status"]?.asString ?? "UNKNOWN", error["message"]?.asString ?? "")
    }
    return nil
  }

  private mutating func commit(_ json: JSON) throws -> Answer {
    commits.add(json["commitTime"]?.asString ?? "")
    return .commit(
      try (json["writeResults"]?.elements ?? []).map { result in
        WriteAnswer(
          updated: result["updateTime"]?.asString.map { commits.number($0) },
          transformResults: try (result["transformResults"]?.elements ?? []).map {
            try Wire.readValue($0).withoutServerTimes(run)
          })
      })
  }

  private func read(_ json: JSON, _ paths: [DocumentPath]) throws -> Answer {
    var found: [DocumentPath: DocumentAnswer] = [:]
    for element in json.elements {
      guard let json = element["found"], let answer = try document(json) else { continue }
      found[answer.path] = answer
    }
    return .documents(paths.map { found[$0] })
  }

  private func document(_ json: JSON) throws -> DocumentAnswer? {
    guard let name = json["name"]?.asString else { return nil }
    return DocumentAnswer(
      path: Wire.path(name), created: commits.number(json["createTime"]?.asString ?? ""),
      updated: commits.number(json["updateTime"]?.asString ?? ""),
      fields: try Wire.readFields(json["fields"]).withoutServerTimes(run))
  }

  private func aggregates(_ json: JSON) throws -> Answer {
    let fields = json.elements.first?["result"]?["aggregateFields"]?.members ?? []
    return .aggregates(
      try fields.map { AggregateAnswer(alias: UTF8String($0.0), value: try Wire.readValue($0.1)) })
  }
}
