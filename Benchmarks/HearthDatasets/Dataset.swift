/// The data sets that demo, tests and benchmarks run on (sources and licences: Data/README.md).
package enum Dataset: String, CaseIterable, Sendable {
  /// Cities of 100,000 people and more: many scripts, long arrays.
  case cities
  /// A week of earthquakes: times, nulls, numbers of both kinds.
  case quakes
  /// ZIP codes: flat rows with leading zeros in the id.
  case zipcodes

  /// How many documents it has.
  package var count: Int {
    switch self {
    case .cities: 6_204
    case .quakes: 1_707
    case .zipcodes: 42_049
    }
  }

  /// What to say where the data is shown.
  package var attribution: String {
    switch self {
    case .cities: "City data (c) GeoNames, CC BY 4.0, changed (subset, renamed fields)"
    case .quakes: "U.S. Geological Survey, public domain"
    case .zipcodes: "Postal codes (c) GeoNames, CC BY 4.0, unchanged snapshot"
    }
  }

  /// The documents, in the order of the file.
  package func source() throws -> any DocumentSource {
    switch self {
    case .cities: try NDJSONSource(file: "geonames-cities.ndjson", collection: "cities")
    case .quakes:
      try NDJSONSource(
        file: "usgs-earthquakes.ndjson", collection: "quakes",
        millisecondFields: ["time", "updated"])
    case .zipcodes: try ZipCodeSource()
    }
  }

  /// Generated restaurants with their ratings, the same for the same seed.
  package static func friendlyEats(restaurants: Int, seed: UInt64) throws -> FriendlyEats {
    try FriendlyEats(restaurants: restaurants, seed: seed)
  }
}
