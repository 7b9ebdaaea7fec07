/// A table of text in aligned columns; it can also be read as Markdown.
package struct TextTable: Sendable {
  /// Which side a column's texts are flush with.
  package enum Alignment: Sendable { case left, right }

  private let header: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  package init(_ columns: [(title: String, alignment: Alignment)]) {
    header = columns.map(\.title)
    alignments = columns.map(\.alignment)
  }

  /// Adds a row; it must have a text for every column.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count == header.count, "a cell for every column")
    rows.append(cells)
  }

  /// The lines, for a terminal or a log.
  package var lines: [String] {
    let widths = self.widths
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    return [line(header, widths), rule] + rows.map { line($0, widths) }
  }

  /// The same as a Markdown table, whose source is aligned too.
  package var markdown: String {
    let widths = self.widths.map { max($0, 3) }
    let rule = zip(widths, alignments).map { width, alignment in
      let dashes = String(repeating: "-", count: width - 1)
      return alignment == .right ? dashes + ":" : dashes + "-"
    }
    let all = [padded(header, widths), rule] + rows.map { padded($0, widths) }
    return all.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  private var widths: [Int] {
    header.indices.map { column in
      ([header] + rows).map { $0[column].count }.max() ?? 0
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = padded(cells, widths).joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    return text
  }

  private func padded(_ cells: [String], _ widths: [Int]) -> [String] {
    cells.indices.map { column in
      let space = String(repeating: " ", count: widths[column] - cells[column].count)
      return alignments[column] == .left ? cells[column] + space : space + cells[column]
    }
  }
}
