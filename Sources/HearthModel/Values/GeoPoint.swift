/// A point on the globe in degrees.
///
/// Latitude must lie in -90...90 and longitude in -180...180; other numbers are kept as given
/// and rejected with `INVALID_ARGUMENT / GEOPOINT_RANGE` when they are written.
public struct GeoPoint: Hashable, Codable, Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double

  /// Makes a point.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both coordinates are in range.
  package var isValid: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }
}
