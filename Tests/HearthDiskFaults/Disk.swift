import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A small file system of its own, which can be filled and shut down.
struct Disk {
  /// Which file system and how it is mounted.
  struct Kind: Sendable {
    var name: String
    /// `ext4`, `xfs` or `tmpfs`.
    var system: String
    var options: String
    var megabytes: Int
  }

  struct Unavailable: Error, CustomStringConvertible {
    var description: String
  }

  let kind: Kind
  let image: String
  /// Where it is mounted.
  let path: String

  /// Makes the file system without mounting it; throws `Unavailable` where that cannot be.
  init(_ kind: Kind, in directory: String) throws {
    self.kind = kind
    image = "\(directory)/image"
    path = "\(directory)/disk"
    #if !os(Linux)
      throw Unavailable(description: "\(kind.name) needs Linux")
    #else
      guard geteuid() == 0 else {
        throw Unavailable(description: "only root can mount \(kind.name)")
      }
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      if kind.system == "tmpfs" { return }
      guard Tool.path(of: "mkfs.\(kind.system)") != nil else {
        throw Unavailable(
          description: "mkfs.\(kind.system) is missing for \(kind.name)"
            + (kind.system == "xfs" ? " (package xfsprogs)" : " (package e2fsprogs)"))
      }
      guard FileManager.default.fileExists(atPath: "/dev/loop-control") else {
        throw Unavailable(description: "this machine has no loop devices for \(kind.name)")
      }
    #endif
  }

  /// Makes the file system anew.
  func format() throws {
    if kind.system == "tmpfs" { return }
    try? FileManager.default.removeItem(atPath: image)
    guard FileManager.default.createFile(atPath: image, contents: nil),
      truncate(image, off_t(kind.megabytes) << 20) == 0
    else { throw Unavailable(description: "no image of \(kind.megabytes) MB could be made") }
    // Blocks that only root may use would let root write to a full disk.
    let options = kind.system == "ext4" ? ["-q", "-F", "-m", "0"] : ["-q", "-f"]
    try Tool.run("mkfs.\(kind.system)", options + [image])
  }

  /// Mounts it; throws `Unavailable` where the machine does not allow that.
  func mount() throws {
    try Workplace.willMount(path)
    do {
      if kind.system == "tmpfs" {
        try Tool.run(
          "mount",
          ["-t", "tmpfs", "-o", "size=\(kind.megabytes)m,mode=0700\(kind.options)", "none", path])
      } else {
        try Tool.run(
          "mount", ["-t", kind.system, "-o", "loop" + kind.options, image, path])
      }
    } catch {
      Workplace.unmounted(path)
      throw Unavailable(description: "\(kind.name) cannot be mounted here: \(error)")
    }
    guard chmod(path, 0o700) == 0 else {
      throw Tool.Failure(description: "the mode of \(path) cannot be set")
    }
  }

  /// Unmounts it, which loop devices end with.
  func unmount() throws {
    var last: (any Error)?
    for _ in 0..<50 {
      do {
        try Tool.run("umount", [path])
        return Workplace.unmounted(path)
      } catch {
        // Somebody of the system may look into a new mount for a moment.
        last = error
        usleep(20_000)
      }
    }
    throw last ?? Tool.Failure(description: "umount \(path)")
  }

  /// The power goes: from now on nothing reaches the image, whatever was written before.
  ///
  /// The call behind `xfs_io -x -c shutdown`, without flushing of the log.
  func shutDown() throws {
    #if os(Linux)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw Tool.Failure(description: "\(path) cannot be opened (\(errno))")
      }
      defer { close(descriptor) }
      var flags: UInt32 = 2
      let code = withUnsafeMutablePointer(to: &flags) {
        ioctl(descriptor, 0x8004_587d, UnsafeMutableRawPointer($0))
      }
      guard code == 0 else {
        throw Unavailable(description: "\(kind.name) cannot be shut down (error \(errno))")
      }
    #endif
  }

  /// Bytes that can still be written.
  var free: Int {
    var information = statvfs()
    guard statvfs(path, &information) == 0 else { return 0 }
    return Int(information.f_bfree) * Int(information.f_frsize)
  }
}
