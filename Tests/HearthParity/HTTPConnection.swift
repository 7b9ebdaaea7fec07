#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One kept-alive HTTP/1.1 connection to a server on this machine.
///
/// Plain sockets and not `URLSession`: a run makes ten thousand small calls one after the other,
/// and most of its time would be the session's.
final class HTTPConnection {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  struct Response {
    var status: Int
    var body: [UInt8]
  }

  private let port: UInt16
  private var descriptor: Int32 = -1
  /// Bytes that came after the end of the last response.
  private var buffer: [UInt8] = []

  init(port: UInt16) { self.port = port }

  deinit { disconnect() }

  /// One call; tried again once, since a server may close an idle connection at any time.
  func call(_ method: String, _ target: String, body: String? = nil) throws -> Response {
    if descriptor >= 0 {
      do { return try attempt(method, target, body) } catch { disconnect() }
    }
    do {
      return try attempt(method, target, body)
    } catch {
      disconnect()
      throw error
    }
  }

  private func disconnect() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    buffer = []
  }

  private func attempt(_ method: String, _ target: String, _ body: String?) throws -> Response {
    if descriptor < 0 { try connectToServer() }
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    head += "Authorization: Bearer owner\r\nContent-Type: application/json\r\n"
    head += "Content-Length: \(body?.utf8.count ?? 0)\r\n\r\n"
    try send(Array((head + (body ?? "")).utf8))
    return try response()
  }

  private func connectToServer() throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    if descriptor < 0 { throw Failure(description: "no socket: errno \(errno)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = loopback(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    if code != 0 { throw Failure(description: "no connection: errno \(errno)") }
  }

  private func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { whole -> Int in
        let rest = UnsafeRawBufferPointer(rebasing: whole[sent...])
        #if canImport(Glibc)
          return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        #else
          return Darwin.send(descriptor, rest.baseAddress, rest.count, 0)
        #endif
      }
      if count <= 0 { throw Failure(description: "sending failed: errno \(errno)") }
      sent += count
    }
  }

  private func receive() throws {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count <= 0 { throw Failure(description: "the server closed the connection or was silent") }
    buffer += chunk[..<count]
  }

  private func line() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        var bytes = buffer[..<end]
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        buffer.removeSubrange(...end)
        return text
      }
      try receive()
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try receive() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func response() throws -> Response {
    let words = try line().split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else {
      throw Failure(description: "no HTTP status line")
    }
    var length = 0
    var isChunked = false
    while true {
      let header = try line()
      if header.isEmpty { break }
      let parts = header.lowercased().split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }
      if parts[0] == "content-length" { length = Int(value) ?? 0 }
      if parts[0] == "transfer-encoding" { isChunked = value == "chunked" }
    }
    guard isChunked else { return Response(status: status, body: try take(length)) }
    var body: [UInt8] = []
    while let size = Int(try line(), radix: 16), size > 0 {
      body += try take(size)
      _ = try line()
    }
    _ = try line()
    return Response(status: status, body: body)
  }
}

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return address
}

/// A port of this machine that nobody listens on at the moment.
func freePort() -> UInt16? {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  defer { close(descriptor) }
  var address = loopback(port: 0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
    }
  }
  return code == 0 ? UInt16(bigEndian: address.sin_port) : nil
}
