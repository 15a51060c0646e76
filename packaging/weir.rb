# A Homebrew formula that builds the tool from source, with the Swift of Xcode or of the
# formula `swift`. source.sh fills in the version, the address and the digest. No machine with
# Homebrew has run it yet.
class Weir < Formula
  desc "Checksums, counts and duplicates of huge file sets, on all cores"
  homepage "@URL@"
  url "@URL@/releases/download/v@VERSION@/weir-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "openssl@3"
  depends_on "xxhash"
  on_macos do
    depends_on xcode: ["26.0", :build]
  end
  on_linux do
    depends_on "swift" => :build
  end

  def install
    # For the clang of the Swift toolchain, which is not Homebrew's.
    libraries = [Formula["openssl@3"], Formula["xxhash"]]
    ENV["CPATH"] = libraries.map { |library| library.opt_include }.join(":")
    ENV["LIBRARY_PATH"] = libraries.map { |library| library.opt_lib }.join(":")
    system "swift", "build", "-c", "release", "--disable-sandbox", "--product", "weir"
    system "sh", "support/man.sh"
    system "sh", "support/tool-files.sh", ".build/release/weir"
    ENV["PREFIX"] = prefix
    system "sh", "support/install.sh", "tool", ".build/release/weir"
  end

  test do
    (testpath/"a").write("weir\n")
    system "#{bin}/weir hash a > sums"
    assert_empty shell_output("#{bin}/weir check --quiet sums")
  end
end
