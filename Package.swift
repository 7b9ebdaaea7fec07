// swift-tools-version: 6.3
import PackageDescription

// Each target imports only from floors below it; Tests/TidyTests keeps the rule.
let package = Package(
  name: "hearth",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Hearth", targets: ["Hearth"]),
    .executable(name: "hearth", targets: ["HearthCommandLine"]),
    .executable(name: "hearth-bench", targets: ["HearthBenchmarks"]),
    // For the tests: fails and records the calls of a process that it is preloaded into.
    .executable(name: "hearth-faults", targets: ["HearthFaults"]),
    .library(name: "HearthFaultShim", type: .dynamic, targets: ["HearthFaultShim"]),
  ],
  targets: [
    // Floor 0: nouns, and bytes on disk.
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(
      name: "HearthStorage", dependencies: ["CLMDB"], swiftSettings: [.strictMemorySafety()]),
    .target(name: "HearthModel"),

    // Floor 1: model to ordered bytes, query to plan.
    .target(name: "HearthEncoding", dependencies: ["HearthModel"]),
    .target(name: "HearthPlanner", dependencies: ["HearthModel"]),

    // Floor 2: transactions, execution, listeners.
    .target(
      name: "HearthEngine",
      dependencies: ["HearthModel", "HearthEncoding", "HearthPlanner", "HearthStorage"]),

    // Floor 3: what users import.
    .target(name: "Hearth", dependencies: ["HearthModel", "HearthEngine"]),

    // Floor 5: the command line and the benchmarks. They use Hearth as its users do.
    .executableTarget(
      name: "HearthCommandLine",
      dependencies: ["Hearth", "HearthDatasets", "HearthBenchmarkKit", "HearthYardstick"]),
    .target(
      name: "HearthDatasets", dependencies: ["Hearth"], path: "Benchmarks/HearthDatasets",
      resources: [.copy("Data")]),
    .target(name: "HearthBenchmarkKit", path: "Benchmarks/HearthBenchmarkKit"),
    .target(
      name: "HearthYardstick", dependencies: ["Hearth", "CLMDB"],
      path: "Benchmarks/HearthYardstick"),
    .executableTarget(
      name: "HearthBenchmarks",
      dependencies: ["Hearth", "HearthDatasets", "HearthBenchmarkKit", "HearthYardstick",
        "HearthModel", "HearthEncoding", "HearthPlanner", "HearthEngine", "HearthStorage",
        "CLMDB"],
      path: "Benchmarks/HearthBenchmarks"),

    // Tests: one suite per room, plus the suites that cross rooms.
    .target(
      name: "HearthTestSupport",
      dependencies: ["HearthModel", "HearthEngine", "HearthStorage", "Hearth"],
      path: "Tests/HearthTestSupport"),
    .testTarget(name: "HearthStorageTests", dependencies: ["HearthStorage", "HearthTestSupport"]),
    .testTarget(name: "HearthModelTests", dependencies: ["HearthModel", "HearthTestSupport"]),
    .testTarget(
      name: "HearthEncodingTests",
      dependencies: ["HearthEncoding", "HearthModel", "HearthTestSupport"]),
    .testTarget(
      name: "HearthPlannerTests",
      dependencies: ["HearthPlanner", "HearthModel", "HearthTestSupport"]),
    .testTarget(
      name: "HearthEngineTests",
      dependencies: ["HearthEngine", "HearthModel", "HearthEncoding", "HearthPlanner",
        "HearthStorage", "HearthTestSupport"]),
    .testTarget(
      name: "HearthTests", dependencies: ["Hearth", "HearthDatasets", "HearthTestSupport"]),
    .target(
      name: "SimulatedWorlds",
      dependencies: ["HearthEngine", "HearthModel", "HearthStorage", "HearthTestSupport"],
      path: "Tests/SimulatedWorlds"),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["HearthEngine", "HearthModel", "HearthTestSupport", "SimulatedWorlds"]),
    .executableTarget(
      name: "HearthSimulator",
      dependencies: ["HearthStorage", "HearthTestSupport", "SimulatedWorlds"],
      path: "Tests/HearthSimulator"),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["HearthCommandLine", "Hearth", "HearthBenchmarkKit", "HearthTestSupport"]),
    .executableTarget(
      name: "HearthCrashChild", dependencies: ["Hearth"], path: "Tests/HearthCrashChild"),
    .testTarget(
      name: "CrashTests",
      dependencies: ["Hearth", "HearthTestSupport", "HearthCrashChild"]),
    .executableTarget(
      name: "HearthParity",
      dependencies: ["HearthEngine", "HearthModel", "HearthTestSupport"],
      path: "Tests/HearthParity"),
    .executableTarget(
      name: "hearth-disk-faults",
      dependencies: ["Hearth", "HearthEngine", "HearthModel", "HearthEncoding",
        "HearthTestSupport"],
      path: "Tests/HearthDiskFaults"),
    .target(
      name: "HearthFaultShim", path: "Tests/HearthFaultShim",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "HearthFaults",
      dependencies: ["Hearth", "HearthEngine", "HearthEncoding", "HearthStorage",
        "HearthTestSupport"],
      path: "Tests/HearthFaults"),
    .testTarget(name: "TidyTests"),
  ],
  swiftLanguageModes: [.v6]
)

let everyTarget: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + everyTarget
}
