#!/usr/bin/env bash
# Brings a fresh machine to where `swift build` works: checks Swift, installs LMDB's headers.
#
# Safe to run again and again; says nothing when there is nothing to do.
set -euo pipefail

swift_needed="6.3"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }

check_swift() {
  if ! command -v swift >/dev/null 2>&1; then
    fail "Swift was not found on PATH; Hearth needs Swift $swift_needed or newer." \
      "Get it from https://www.swift.org/install/, open a new shell, and run this again."
  fi
  local found
  # No early-exiting reader here: closing the pipe under a writer would count as a failure.
  found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
  found=${found%%$'\n'*}
  if [ -z "$found" ]; then
    fail "'swift --version' gave no version; is the toolchain installed completely?"
  fi
  local major=${found%%.*} rest=${found#*.}
  local minor=${rest%%.*}
  if [ "$major" -lt "${swift_needed%%.*}" ] ||
    { [ "$major" -eq "${swift_needed%%.*}" ] && [ "$minor" -lt "${swift_needed#*.}" ]; }; then
    fail "this is Swift $found; Hearth needs Swift $swift_needed or newer." \
      "Get it from https://www.swift.org/install/ (with swiftly: 'swiftly install $swift_needed')."
  fi
}

have_lmdb() {
  if command -v pkg-config >/dev/null 2>&1 && pkg-config --exists lmdb 2>/dev/null; then
    return 0
  fi
  local directory
  for directory in /usr/include /usr/local/include /opt/homebrew/include /opt/local/include; do
    if [ -f "$directory/lmdb.h" ]; then return 0; fi
  done
  return 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "installing needs root, and sudo was not found. As root, run:" "  $*"
  fi
}

install_on_debian() {
  say "LMDB's headers are missing. Hearth keeps its data in LMDB, a small C"
  say "library, and uses the system's copy, so that fixes to it reach you with"
  say "your other updates. Installing the package liblmdb-dev with apt-get."
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends liblmdb-dev
}

install_on_mac() {
  if ! command -v brew >/dev/null 2>&1; then
    fail "LMDB's headers are missing, and Homebrew was not found to install them." \
      "Install Homebrew (https://brew.sh), or LMDB 0.9 by hand, and run this again."
  fi
  say "LMDB's headers are missing. Hearth keeps its data in LMDB, a small C"
  say "library. Installing the package lmdb with Homebrew."
  brew install lmdb
}

# Hearth refuses LMDB 1.x at run time: its file format cannot be read by 0.9, nor the other way.
warn_about_mac_version() {
  local version=""
  if command -v pkg-config >/dev/null 2>&1; then
    version=$(pkg-config --modversion lmdb 2>/dev/null || true)
  fi
  if [ -z "$version" ] && command -v brew >/dev/null 2>&1; then
    version=$(brew list --versions lmdb 2>/dev/null | awk '{ print $2 }')
  fi
  case "$version" in
    1.*)
      say "NOTE: this is LMDB $version, and Hearth needs 0.9 (0.9.36 or newer on a"
      say "Mac). LMDB 1.x writes another file format, and Hearth refuses it when it"
      say "opens a database. Homebrew no longer ships 0.9. To get it:"
      say "  brew uninstall lmdb"
      say "  curl -LO https://github.com/LMDB/lmdb/archive/refs/tags/LMDB_0.9.36.tar.gz"
      say "  tar xf LMDB_0.9.36.tar.gz && cd lmdb-LMDB_0.9.36/libraries/liblmdb"
      say "  make && sudo make install prefix=/usr/local"
      ;;
  esac
}

check_swift
case "$(uname -s)" in
  Linux)
    if ! have_lmdb; then
      if ! command -v apt-get >/dev/null 2>&1; then
        fail "LMDB's headers (lmdb.h, version 0.9.24 or newer of 0.9) are missing." \
          "Install your distribution's package (Fedora: lmdb-devel, Alpine: lmdb-dev," \
          "Arch: lmdb) and run this again."
      fi
      install_on_debian
      have_lmdb || fail "liblmdb-dev is installed, but lmdb.h is not where compilers look."
      say "done."
    fi
    ;;
  Darwin)
    have_lmdb || install_on_mac
    warn_about_mac_version
    ;;
  *)
    have_lmdb || fail "install LMDB 0.9 (lmdb.h and liblmdb) by hand; this system is not known here."
    ;;
esac
