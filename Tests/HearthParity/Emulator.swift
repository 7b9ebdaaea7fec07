import Foundation
import HearthTestSupport

/// The official emulator's process.
final class Emulator {
  /// Why there is none to compare with.
  struct Missing: Error {
    var reason: String
  }

  private static let mainClass =
    "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
  private static let patience: TimeInterval = 60

  let port: UInt16
  private let process: ChildProcess

  /// Ends the emulator when its standard input ends: so it ends with this process, however that
  /// ends.
  ///
  /// The signals of a terminal go to everybody in front of it, and must not end the one who tidies
  /// up.
  private static let keeper = """
    log=$1; shift
    "$@" </dev/null >"$log" 2>&1 &
    emulator=$!
    trap '' INT TERM HUP
    cat >/dev/null
    kill -9 $emulator
    wait $emulator 2>/dev/null
    """

  /// Starts one and waits until it answers.
  init(log: String) throws {
    let jar = try Emulator.jar()
    let java = try Emulator.java()
    guard let port = freePort() else { throw Missing(reason: "no port is free") }
    self.port = port
    process = try ChildProcess(
      "/bin/sh",
      [
        "-c", Emulator.keeper, "emulator", log, java, "-Duser.language=en", "-cp", jar,
        Emulator.mainClass, "--host", "127.0.0.1", "--port", "\(port)",
      ])
    let deadline = DispatchTime.now() + Emulator.patience
    while DispatchTime.now() < deadline {
      let connection = HTTPConnection(port: port)
      if let response = try? connection.call("GET", "/"), response.status == 200 { return }
      usleep(50_000)
    }
    stop()
    let words = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    throw HTTPConnection.Failure(
      description: "the emulator did not answer within \(Int(Emulator.patience)) s:\n\(words)")
  }

  func stop() { _ = process.wait() }

  /// Where the jar is: named by the environment, or where the Google Cloud CLI keeps it.
  private static func jar() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["FIRESTORE_EMULATOR_JAR"], !named.isEmpty {
      if FileManager.default.isReadableFile(atPath: named) { return named }
      throw Missing(reason: "FIRESTORE_EMULATOR_JAR names '\(named)', which cannot be read")
    }
    let file = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
    var roots = [
      "/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", "/usr/local/google-cloud-sdk",
      "/opt/google-cloud-sdk", "/opt/google-cloud-cli", "/snap/google-cloud-cli/current",
      "/snap/google-cloud-sdk/current", "/opt/homebrew/share/google-cloud-sdk",
      "/usr/local/share/google-cloud-sdk",
      "/opt/homebrew/Caskroom/google-cloud-sdk/latest/google-cloud-sdk",
      "/usr/local/Caskroom/google-cloud-sdk/latest/google-cloud-sdk",
    ]
    if let root = environment["CLOUDSDK_ROOT_DIR"] { roots.insert(root, at: 0) }
    if let home = environment["HOME"] { roots.append(home + "/google-cloud-sdk") }
    for root in roots where FileManager.default.isReadableFile(atPath: "\(root)/\(file)") {
      return "\(root)/\(file)"
    }
    if let home = environment["HOME"], let jar = downloadedJar(home + "/.cache/firebase/emulators")
    {
      return jar
    }
    throw Missing(
      reason: "cloud-firestore-emulator.jar was not found; install the Google Cloud CLI's "
        + "Firestore emulator, or name the jar in FIRESTORE_EMULATOR_JAR")
  }

  /// The Firebase CLI keeps jars with the version in their names.
  private static func downloadedJar(_ directory: String) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.sorted().last {
      $0.hasPrefix("cloud-firestore-emulator-") && $0.hasSuffix(".jar")
    }.map { directory + "/" + $0 }
  }

  private static func java() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    var places = (environment["PATH"] ?? "").split(separator: ":").map { String($0) + "/java" }
    if let home = environment["JAVA_HOME"], !home.isEmpty {
      places.insert(home + "/bin/java", at: 0)
    }
    for place in places where FileManager.default.isExecutableFile(atPath: place) { return place }
    throw Missing(reason: "java was found neither in JAVA_HOME nor on PATH")
  }
}
