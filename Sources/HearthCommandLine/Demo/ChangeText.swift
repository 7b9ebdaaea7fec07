import HearthBenchmarkKit

/// Says in words how one list of restaurants differs from another.
enum ChangeText {
  /// One text for each restaurant that came, went, moved or was rated, best first:
  /// `+Golden Gyro 4.12`, `-Kind Kebab`, `Lucky Laksa 4.05 ↑2`, `Amber Wok 4.01`.
  static func describe(
    from old: [Restaurant], to new: [Restaurant], style: Style
  ) -> [String] {
    var texts: [String] = []
    for (position, restaurant) in new.enumerated() {
      let stars = NumberText.fixed(restaurant.avgRating, places: 2)
      let name = unbroken(restaurant.name)
      guard let before = old.firstIndex(where: { $0.id == restaurant.id }) else {
        texts.append(style.good("+\(name)\u{a0}\(stars)"))
        continue
      }
      if before > position {
        texts.append(style.good("\(name)\u{a0}\(stars)\u{a0}↑\(before - position)"))
      } else if before < position {
        texts.append(style.accent("\(name)\u{a0}\(stars)\u{a0}↓\(position - before)"))
      } else if old[before] != restaurant {
        texts.append("\(name)\u{a0}\(stars)")
      }
    }
    for restaurant in old where !new.contains(where: { $0.id == restaurant.id }) {
      texts.append(style.bad("-\(unbroken(restaurant.name))"))
    }
    return texts
  }

  /// With no-break spaces, so that a line break does not tear a name apart.
  private static func unbroken(_ name: String) -> String {
    String(name.map { $0 == " " ? "\u{a0}" : $0 })
  }
}
