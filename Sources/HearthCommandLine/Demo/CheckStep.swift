import Hearth
import HearthBenchmarkKit
import HearthDatasets

/// Step 5: everything that must be true after all this.
struct CheckStep {
  struct Result: Sendable {
    var restaurants = 0
    var ratings = 0
    var documents = 0
    var indexEntries = 0
    /// What is wrong, in words; empty if all is well.
    var failures: [String] = []
  }

  /// What one restaurant's page of the check found.
  private struct Page: Sendable {
    var ratings = 0
    var failures: [String] = []
  }

  private static let pageSize = 250
  private static let pagesInFlight = 4
  /// After so many, more of the same help nobody.
  private static let failuresShown = 10

  let console: Console

  func run(
    _ db: Firestore, ratingsExpected: Int, restaurantsExpected: Int, storm: RatingStep.Result
  ) async throws -> Result {
    var result = Result()
    let pages = try await checkRestaurants(db, expected: restaurantsExpected)
    result.restaurants = pages.restaurants
    result.ratings = pages.sum.ratings
    result.failures = pages.sum.failures
    verdict(
      pages.sum.failures.isEmpty,
      "every restaurant's ratingCount is its number of rating documents, and",
      "its avgRating is their mean")
    require(
      result.restaurants == restaurantsExpected && result.ratings == ratingsExpected, &result,
      "no rating and no restaurant was lost: \(NumberText.grouped(result.ratings)) ratings of "
        + "\(NumberText.grouped(result.restaurants)) restaurants",
      "expected \(ratingsExpected) ratings of \(restaurantsExpected) restaurants")
    checkLiveQuery(storm, &result)

    console.line(console.style.dim("  … walking every document and every index entry"))
    let report = try await db.verify()
    result.documents = report.documents
    result.indexEntries = report.indexEntries
    verdict(
      report.findings.isEmpty,
      "each of \(NumberText.grouped(report.indexEntries)) index entries has its document, and",
      "each of \(NumberText.grouped(report.documents)) documents its entries")
    result.failures += report.findings
    for failure in result.failures.prefix(Self.failuresShown) {
      console.line("    " + console.style.bad(failure))
    }
    return result
  }

  private func checkLiveQuery(_ storm: RatingStep.Result, _ result: inout Result) {
    require(
      storm.live.wrongChangeLists == 0, &result,
      "each snapshot is the one before plus its changes",
      "\(storm.live.wrongChangeLists) change lists did not add up")
    require(
      storm.live.wrongOrder == 0, &result, "snapshots came in the order of commits",
      "\(storm.live.wrongOrder) snapshots were not newer than the one before")
    require(
      storm.isLiveQueryCurrent, &result, "the last snapshot is what the query gives now",
      "the last snapshot differs from what the query gives now")
  }

  /// Goes through all restaurants in pages; a few pages are checked at once.
  private func checkRestaurants(
    _ db: Firestore, expected: Int
  ) async throws -> (restaurants: Int, sum: Page) {
    let bar = ProgressBar(console, label: "checking", total: expected, unit: "restaurants")
    var restaurants = 0
    let sum = try await withThrowingTaskGroup(of: Page.self) { group in
      var sum = Page()
      var inFlight = 0
      var query = db.collection("restaurants").order(by: FieldPath.documentID())
        .limit(to: Self.pageSize)
      while true {
        let documents = try await query.getDocuments().documents
        guard let last = documents.last else { break }
        restaurants += documents.count
        if inFlight == Self.pagesInFlight, let page = try await group.next() {
          sum.ratings += page.ratings
          sum.failures += page.failures
          inFlight -= 1
        }
        group.addTask { try await Self.check(documents, bar) }
        inFlight += 1
        query = query.start(afterDocument: last)
      }
      for try await page in group {
        sum.ratings += page.ratings
        sum.failures += page.failures
      }
      return sum
    }
    bar.finish()
    console.line()
    return (restaurants, sum)
  }

  private static func check(
    _ documents: [QueryDocumentSnapshot], _ bar: ProgressBar
  ) async throws -> Page {
    var page = Page()
    for document in documents {
      let restaurant = try document.data(as: Restaurant.self)
      let ratings = try await document.reference.collection("ratings").getDocuments()
        .documents.map { $0["rating"] as? Int ?? 0 }
      let average = FriendlyEats.average(sum: ratings.reduce(0, +), count: ratings.count)
      page.ratings += ratings.count
      if restaurant.ratingCount != ratings.count || restaurant.avgRating != average {
        page.failures.append(
          "\(document.reference.path): ratingCount \(restaurant.ratingCount), avgRating "
            + "\(restaurant.avgRating), but \(ratings.count) ratings with mean \(average)")
      }
    }
    bar.advance(by: documents.count)
    return page
  }

  private func require(
    _ holds: Bool, _ result: inout Result, _ claim: String, _ failure: String
  ) {
    verdict(holds, claim)
    if !holds { result.failures.append(failure) }
  }

  private func verdict(_ holds: Bool, _ lines: String...) {
    let mark = holds ? console.style.good("✓") : console.style.bad("✗ NOT TRUE:")
    for (number, line) in lines.enumerated() {
      console.line(number == 0 ? "  \(mark) \(line)" : "    \(line)")
    }
  }
}
