import Testing

/// The rules are only as good as the splitting of code and comments.
@Suite struct SourceTextTests {
  @Test("Comments and literals are no code, interpolations are")
  func splitting() {
    let source = #"""
      let a = "try! in a literal \(try! inside)" // try! in a comment
      /* as! /* nested */ as! */ let b = 1
      let c = """
        print("x") \(as! there)
        """
      let d = #"a " quote \(not code) as! "#
      """#
    let file = SourceText(path: "Sources/X/File.swift", text: source)
    #expect(file.lineNumbers(of: #"try!"#, in: file.code) == [1])
    #expect(file.lineNumbers(of: #"try!"#, in: file.comments) == [1])
    #expect(file.lineNumbers(of: #"as!"#, in: file.code) == [4])
    #expect(file.lineNumbers(of: #"print"#, in: file.code).isEmpty)
    #expect(file.lineNumbers(of: #"let b"#, in: file.code) == [2])
    #expect(file.codeLines.count == file.lines.count)
    #expect(file.target == "X")
  }

  @Test("The tree is found")
  func tree() {
    #expect(Repository.sources.count > 10)
    #expect(Repository.exists("Package.swift"))
  }
}
