import Hearth
import HearthBenchmarkKit
import HearthDatasets

/// Step 4: many tasks rate a few restaurants, each rating in a transaction, while a live query
/// shows the best ten.
struct RatingStep {
  struct Result: Sendable {
    /// How many restaurants were rated.
    var restaurants = 0
    var tasks: Int
    var seconds = 0.0
    /// From the call of `runTransaction` to its return, retries included.
    var latencies = Histogram()
    /// How often the block ran, summed over all commits.
    var runs = 0
    var runsMax = 0
    /// What the engine counted meanwhile.
    var conflicts = 0
    var groups = 0
    var engineCommits = 0
    var live = LiveLog.Result()
    /// What the top ten are when asked afterwards.
    var finalTop: [Restaurant] = []
    /// Whether the live query's last snapshot was the same.
    var isLiveQueryCurrent = false

    var commits: Int { Int(latencies.count) }
    var perSecond: Double { seconds > 0 ? Double(commits) / seconds : 0 }
    var runsPerCommit: Double { commits > 0 ? Double(runs) / Double(commits) : 0 }
    var snapshotsPerSecond: Double { seconds > 0 ? Double(live.snapshots) / seconds : 0 }
  }

  /// More than fit into the top ten, so that some come in and others drop out.
  private static let names = [
    "Amber Wok", "Brave Taco", "Cozy Crepe", "Dancing Dumpling", "Early Bagel", "Fiery Falafel",
    "Golden Gyro", "Humble Hotdog", "Iron Pretzel", "Jolly Jerk", "Kind Kebab", "Lucky Laksa",
    "Mellow Mochi", "Noble Nacho",
  ]
  private static let category = "Food Truck"

  let options: DemoOptions
  let console: Console

  func run(_ db: Firestore) async throws -> Result {
    let trucks = try await openFoodTrucks(db)
    let query = db.collection("restaurants").whereField("category", isEqualTo: Self.category)
      .order(by: "avgRating", descending: true).limit(to: 10)
    printIntroduction(trucks: trucks.count)
    let live = LiveLog(console: console)
    let watching = Task { try await live.follow(query) }
    defer { watching.cancel() }
    let before = db.metrics
    var result = try await rate(trucks, in: db)
    let after = db.metrics
    result.restaurants = trucks.count
    result.conflicts = after.conflicts - before.conflicts
    result.groups = after.groups - before.groups
    result.engineCommits = after.commits - before.commits

    result.finalTop = try await query.getDocuments().decoded(as: Restaurant.self)
    // Events were offered; give the watching task the moment it needs to take the last one.
    try await db.waitForListeners()
    let patience = Stopwatch()
    while live.top != result.finalTop, !live.isEnded, patience.seconds < 5 {
      try await Task.sleep(for: .milliseconds(5))
    }
    result.isLiveQueryCurrent = live.top == result.finalTop
    watching.cancel()
    try await watching.value
    result.live = live.result
    printEnd(result)
    return result
  }

  private func printIntroduction(trucks: Int) {
    let printer = QueryPrinter(console: console)
    console.line("  \(trucks) food trucks open. The ten best, as a live query:")
    console.line()
    printer.printCode(
      """
      for try await snapshot in db.collection("restaurants")
        .whereField("category", isEqualTo: "Food Truck")
        .order(by: "avgRating", descending: true).limit(to: 10).snapshots
      """)
    console.line()
    console.line(
      "  Meanwhile \(options.tasks) tasks rate them for \(options.seconds) s, each rating in a "
        + "transaction:")
    console.line()
    printer.printCode(
      """
      try await db.runTransaction { transaction in
        var restaurant = try transaction.getDocument(truck, as: Restaurant.self)
        restaurant.add(stars: stars)
        try transaction.setData(from: restaurant, forDocument: truck)
        try transaction.setData(from: rating, forDocument: ratings.document())
      }
      """)
    console.line()
  }

  /// New restaurants without ratings, written from a model type.
  private func openFoodTrucks(_ db: Firestore) async throws -> [DocumentReference] {
    let restaurants = db.collection("restaurants")
    let batch = db.batch()
    var trucks: [DocumentReference] = []
    for name in Self.names {
      let truck = restaurants.document()
      let restaurant = Restaurant(
        name: name, category: Self.category, city: "Portland", price: 1)
      try batch.setData(from: restaurant, forDocument: truck)
      trucks.append(truck)
    }
    try await batch.commit()
    return trucks
  }

  private func rate(_ trucks: [DocumentReference], in db: Firestore) async throws -> Result {
    let popularity = Zipf(count: trucks.count, exponent: 0.7)
    let stopwatch = Stopwatch()
    let seconds = Double(options.seconds)
    let (tasks, seed) = (options.tasks, options.seed)
    return try await withThrowingTaskGroup(of: Result.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var generator = SplitMix64(seed: seed &+ UInt64(task) &* 0x9e37)
          var result = Result(tasks: tasks)
          while stopwatch.seconds < seconds {
            let truck = trucks[popularity.next(using: &generator)]
            let stars = 1 + max(generator.below(5), generator.below(5))
            let latency = Stopwatch()
            let runs = try await Self.submit(stars, by: task, to: truck, in: db)
            result.latencies.record(latency.nanoseconds)
            result.runs += runs
            result.runsMax = max(result.runsMax, runs)
          }
          return result
        }
      }
      var sum = Result(tasks: tasks)
      for try await result in group {
        sum.latencies.merge(result.latencies)
        sum.runs += result.runs
        sum.runsMax = max(sum.runsMax, result.runsMax)
      }
      sum.seconds = stopwatch.seconds
      return sum
    }
  }

  /// Submits one rating; gives the number of times that the block ran.
  private static func submit(
    _ stars: Int, by task: Int, to truck: DocumentReference, in db: Firestore
  ) async throws -> Int {
    try await db.runTransaction { transaction in
      var restaurant = try transaction.getDocument(truck, as: Restaurant.self)
      restaurant.add(stars: stars)
      let rating = Rating(rating: stars, userId: "task-\(task)", text: "Rated in the demo.")
      try transaction.setData(from: restaurant, forDocument: truck)
      try transaction.setData(from: rating, forDocument: truck.collection("ratings").document())
      return transaction.attempt
    }
  }

  private func printEnd(_ result: Result) {
    console.line()
    console.line(
      "  " + console.style.bold("\(NumberText.grouped(result.commits)) ratings committed")
        + ", \(NumberText.grouped(result.live.snapshots)) snapshots seen. The ten best now:")
    console.line()
    var table = TextTable([
      ("", .right), ("food truck", .left), ("stars", .right), ("ratings", .right),
    ])
    for (position, restaurant) in result.finalTop.enumerated() {
      table.add([
        String(position + 1), restaurant.name,
        NumberText.fixed(restaurant.avgRating, places: 3),
        NumberText.grouped(restaurant.ratingCount),
      ])
    }
    for line in table.lines { console.line("  " + line) }
  }
}
