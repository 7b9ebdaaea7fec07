import HearthEncoding
import HearthTestSupport
import Testing

struct HashTests {
  @Test func `checksums equal the published ones of XXH64`() {
    let vectors: [(String, UInt64, UInt64)] = [
      ("", 0, 0xef46_db37_51d8_e999),
      ("a", 0, 0xd24e_c4f1_a98c_6e5b),
      ("abc", 0, 0x44bc_2cf5_ad77_0999),
      ("xxhash", 20_141_025, 0xb559_b98d_844e_0635),
      ("Nobody inspects the spammish repetition", 0, 0xfbce_a83c_8a37_8bf1),
    ]
    for (text, seed, hash) in vectors {
      #expect(Checksum.hash(Array(text.utf8), seed: seed) == hash, "\(text)")
    }
  }

  @Test func `pieces give the checksum of the whole`() {
    var generator = SeededGenerator(seed: testSeed("Checksum pieces"))
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(generator.number(0..<256)) }
      var checksum = Checksum(seed: 5)
      var position = 0
      while position < count {
        let end = min(count, position + generator.number(0..<40))
        let piece = Array(bytes[position..<end])
        checksum.add(piece.span.bytes)
        position = end
      }
      #expect(checksum.finish() == Checksum.hash(bytes, seed: 5))
    }
  }

  @Test func `hashes equal the published ones of SipHash-2-4 with 128 bits`() {
    let hash = SipHash(key: (0..<16).map { UInt8($0) })
    #expect(
      hash.hash([]) == [
        0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
        0x93,
      ])
    #expect(
      hash.hash([0]) == [
        0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
        0x45,
      ])
  }
}
