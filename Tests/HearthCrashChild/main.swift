import Foundation

// The process that the crash tests kill. Arguments: a mode, a path, and what the mode needs.

let arguments = CommandLine.arguments
let path = arguments.count > 2 ? arguments[2] : ""
let third = arguments.count > 3 ? arguments[3] : ""

do {
  switch arguments.dropFirst().first {
  case "load":
    let numbers = third.split(separator: ",").compactMap { Numbers($0) }
    let close = arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0
    try await load(path, numbers, closeAfter: close)
  case "create": try await create(path)
  case "index": try await buildIndexes(path, from: Int(third) ?? 0)
  case "hold": try await hold(path)
  case "read": await readAll()
  case "leave": try await leave(path)
  case "import": try await importNew(path, from: third)
  case "measure": try await importMeasured(path, from: third)
  case "merge": try await importMerging(path, from: third)
  case "compact": try await compact(path)
  default:
    FileHandle.standardError.write(Data("The crash tests start this program.\n".utf8))
    exit(2)
  }
} catch {
  reportFailure("\(arguments.dropFirst().joined(separator: " "))", error)
  exit(3)
}
