import Hearth

extension Firestore {
  fileprivate var quakes: CollectionReference { collection("quakes") }
}

extension NamedQuery {
  static let quakeNumbers = [
    NamedQuery("magnitudes from 2 to 3, ends included") {
      $0.quakes.whereField("mag", isGreaterThanOrEqualTo: 2)
        .whereField("mag", isLessThanOrEqualTo: 3)
    },
    NamedQuery("magnitudes of 1, stored as integers") {
      $0.quakes.whereField("mag", isEqualTo: 1.0)
    },
    NamedQuery("magnitudes 0.8, 1, 2 and 2.5") {
      $0.quakes.whereField("mag", in: [0.8, 1, 2.0, 2.5] as [Any])
    },
    NamedQuery("negative magnitudes") { $0.quakes.whereField("mag", isLessThan: 0) },
    NamedQuery("the strongest quakes") {
      $0.quakes.order(by: "mag", descending: true).limit(to: 25)
    },
    NamedQuery("depths at a whole kilometre") {
      $0.quakes.whereField("depthKm", in: [0, 1, 5, 10])
    },
  ]

  static let quakeNulls = [
    NamedQuery("quakes that nobody reported") {
      $0.quakes.whereField("felt", isEqualTo: NSNull())
    },
    NamedQuery("quakes that somebody reported") {
      $0.quakes.whereField("felt", isNotEqualTo: NSNull())
    },
    NamedQuery("quakes with an alert") { $0.quakes.whereField("alert", isNotEqualTo: NSNull()) },
    NamedQuery("reports in order, nulls first") { $0.quakes.order(by: "felt").limit(to: 1590) },
    NamedQuery("reports in order, most first, nulls at the end") {
      $0.quakes.order(by: "felt", descending: true).limit(to: 140)
    },
    NamedQuery("few stations: numbers only") {
      $0.quakes.whereField("nst", isLessThanOrEqualTo: 5)
    },
    NamedQuery("intensities that are not 1") { $0.quakes.whereField("cdi", isNotEqualTo: 1) },
    NamedQuery("stations not in a list, nulls left out") {
      $0.quakes.whereField("nst", notIn: [5, 10, 15, 20])
    },
    NamedQuery("a list with a null excludes everything") {
      $0.quakes.whereField("nst", notIn: [5, NSNull()] as [Any])
    },
    NamedQuery("a list with a null among its values") {
      $0.quakes.whereField("felt", in: [1, NSNull(), 2] as [Any])
    },
    NamedQuery("reports from a cursor at null") {
      $0.quakes.order(by: "felt").start(after: [NSNull()])
    },
  ]

  static let quakeOthers = [
    NamedQuery("quakes of one day, newest first") {
      $0.quakes
        .whereField(
          "time", isGreaterThanOrEqualTo: Timestamp(seconds: 1_517_616_000, nanoseconds: 0)
        )
        .whereField("time", isLessThan: Date(timeIntervalSince1970: 1_517_702_400))
        .order(by: "time", descending: true)
    },
    NamedQuery("the moment of one quake") {
      $0.quakes.whereField(
        "time", isEqualTo: Timestamp(seconds: 1_517_966_773, nanoseconds: 840_000_000))
    },
    NamedQuery("twenty quakes after a moment") {
      $0.quakes.order(by: "time")
        .start(after: [Timestamp(seconds: 1_517_616_000, nanoseconds: 0)]).limit(to: 20)
    },
    NamedQuery("quakes with a moment tensor") {
      $0.quakes.whereField("types", arrayContains: "moment-tensor")
    },
    NamedQuery("quakes known to rare sources") {
      $0.quakes.whereField("sources", arrayContainsAny: ["at", "nm", "se"])
    },
    NamedQuery("the strongest of one network, from the end") {
      $0.quakes.whereField("net", isEqualTo: "us").order(by: "mag").limit(toLast: 10)
    },
    NamedQuery("deep and strong") {
      $0.quakes.whereField("mag", isGreaterThan: 4).whereField("depthKm", isGreaterThan: 50)
    },
    NamedQuery("three ranges") {
      $0.quakes.whereField("mag", isGreaterThan: 4).whereField("depthKm", isGreaterThan: 20)
        .whereField("sig", isGreaterThan: 300)
    },
    NamedQuery("strong quakes, newest first") {
      $0.quakes.whereField("mag", isGreaterThanOrEqualTo: 4.5).order(by: "time", descending: true)
    },
    NamedQuery("an or of ands") {
      $0.quakes.whereFilter(
        .orFilter([
          .andFilter([
            .whereField("net", isEqualTo: "hv"), .whereField("status", isEqualTo: "automatic"),
          ]),
          .andFilter([
            .whereField("net", isEqualTo: "uu"), .whereField("type", isEqualTo: "explosion"),
          ]),
        ]))
    },
    NamedQuery("an or over different fields with one order") {
      $0.quakes.whereFilter(
        .orFilter([
          .whereField("alert", isEqualTo: "green"), .whereField("net", isEqualTo: "at"),
          .whereField("magType", isEqualTo: "mww"),
        ])
      ).order(by: "mag", descending: true).limit(to: 15)
    },
    NamedQuery("an in and an array-contains-any") {
      $0.quakes.whereField("net", in: ["us", "nn"])
        .whereField("types", arrayContainsAny: ["moment-tensor", "shakemap"])
    },
    NamedQuery("an array element in one network") {
      $0.quakes.whereField("types", arrayContains: "focal-mechanism")
        .whereField("net", isEqualTo: "nc")
    },
  ]

  static let quakeOffsets = [
    NamedQuery("the strongest quakes but three") {
      $0.quakes.order(by: "mag", descending: true).offset(3).limit(to: 10)
    },
    NamedQuery("one network, the second ten") {
      $0.quakes.whereField("net", isEqualTo: "hv").limit(to: 10).offset(10)
    },
    NamedQuery("an offset beyond the end") {
      $0.quakes.whereField("net", isEqualTo: "mb").limit(to: 10).offset(1000)
    },
    NamedQuery("an offset without a limit") {
      $0.quakes.whereField("net", isEqualTo: "uu").offset(30)
    },
    NamedQuery("an offset from the end") {
      $0.quakes.order(by: "sig").limit(toLast: 7).offset(5)
    },
  ]
}
