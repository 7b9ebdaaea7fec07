import HearthModel
import HearthTestSupport

/// Random commits: every kind of write, most of them valid.
extension RandomWorld {
  /// A commit of one to five writes, at times of one document several times.
  ///
  /// `commits` is how many succeeded before, for preconditions on update times.
  mutating func commit(after commits: Int) -> [Write] {
    let favourite = path()
    let count = oneIn(2) ? 1 : 1 + below(5)
    var writes = (0..<count).map { _ in
      write(oneIn(3) ? favourite : path(), after: commits)
    }
    if oneIn(7) {
      let position = below(writes.count)
      writes[position] = spoilt(writes[position])
    }
    return writes
  }

  /// A commit that fills the world.
  mutating func filling() -> [Write] {
    paths.filter { _ in !oneIn(5) }.map { path in
      Write(document: path, operation: .update(fields: fields(), mask: nil, transforms: []))
    }
  }

  private mutating func write(_ path: DocumentPath, after commits: Int) -> Write {
    var write = Write(document: path, operation: .delete)
    switch below(8) {
    case 0: break
    case 1, 2: write.operation = .update(fields: fields(), mask: nil, transforms: transforms(2))
    case 3: write.operation = .update(fields: fields(), mask: nil, transforms: [])
    case 4:
      // What `updateData` sends.
      let fields = fields()
      write.operation = .update(fields: fields, mask: mask(fields), transforms: transforms(2))
      write.precondition = .exists(true)
    case 5:
      write.operation = .update(fields: Fields(), mask: [], transforms: transforms(3))
    default:
      let fields = fields()
      write.operation = .update(fields: fields, mask: mask(fields), transforms: transforms(2))
    }
    if oneIn(4) { write.precondition = precondition(write.operation, after: commits) }
    return write
  }

  private mutating func precondition(
    _ operation: Write.Operation, after commits: Int
  ) -> Precondition {
    switch below(4) {
    case 0: .exists(true)
    case 1: .exists(false)
    default:
      .updateVersion(CommitVersion(microseconds: Int64(max(0, commits - 1 - below(4)))))
    }
  }

  /// Paths of a mask: some of the fields, some that are not there.
  private mutating func mask(_ fields: Fields) -> [FieldPath] {
    var mask: [FieldPath] = []
    for field in fields where !oneIn(4) {
      if case .map(let inner) = field.value, let name = inner.first?.name, oneIn(2) {
        mask.append(FieldPath([field.name, name]))
      } else {
        mask.append(FieldPath([field.name]))
      }
    }
    while oneIn(3) { mask.append(field()) }
    mask.shuffle(using: &random.generator)
    return mask
  }

  private mutating func transforms(_ most: Int) -> [FieldTransform] {
    guard most > 2 || oneIn(2) else { return [] }
    return (0..<(1 + below(most))).map { _ in transform() }
  }

  private mutating func transform() -> FieldTransform {
    let kind: FieldTransform.Kind =
      switch below(6) {
      case 0: .serverTimestamp
      case 1: .increment(number())
      case 2: .maximum(number())
      case 3: .minimum(number())
      case 4: .arrayUnion(elements(4))
      default: .arrayRemove(elements(4))
      }
    return FieldTransform(path: field(), kind: kind)
  }

  private mutating func number() -> Value {
    switch below(4) {
    case 0: .integer(random.integer())
    case 1: .double(random.double())
    case 2: pick([1, .double(1), 0, .double(-0.0), .double(0.5), -1])
    default: pick([.integer(.max), .integer(.min), .double(.nan), .double(.infinity)])
    }
  }
}
