#!/bin/sh
# Installs what weir's build, demo and tests need, with the system's package manager. Says what it
# does; does nothing where everything is there. Usage: deps.sh [build|all|browser|arm64]
set -eu

what=${1:-all}

# name of the thing | how to see that it is there | Debian | Fedora | Arch | openSUSE
list_build='
cc        |command -v cc           |gcc libc6-dev        |gcc               |gcc       |gcc
clang     |command -v clang        |clang                |clang             |clang     |clang
meson     |command -v meson        |meson                |meson             |meson     |meson
ninja     |command -v ninja        |ninja-build          |ninja-build       |ninja     |ninja
pkgconf   |command -v pkg-config   |pkg-config           |pkgconf-pkg-config|pkgconf   |pkgconf
libyaml   |pkg-config yaml-0.1     |libyaml-dev          |libyaml-devel     |libyaml   |libyaml-devel
libbpf    |pkg-config libbpf       |libbpf-dev           |libbpf-devel      |libbpf    |libbpf-devel
zlib      |pkg-config zlib         |zlib1g-dev           |zlib-devel        |zlib      |zlib-devel
zstd      |pkg-config libzstd      |libzstd-dev          |libzstd-devel     |zstd      |libzstd-devel
iberty    |iberty_there            |libiberty-dev        |binutils-devel    |binutils  |binutils-devel
libpfm    |pfm_there               |libpfm4-dev          |libpfm-devel      |libpfm    |libpfm-devel
libdw     |pkg-config libdw        |libdw-dev            |elfutils-devel    |libelf    |libdw-devel
liblzma   |pkg-config liblzma      |liblzma-dev          |xz-devel          |xz        |xz-devel
debuginfod|pkg-config libdebuginfod|libdebuginfod-dev    |elfutils-debuginfod-client-devel|libelf|libdebuginfod-devel
bpftool   |sbin_there bpftool      |bpftool              |bpftool           |bpf       |bpftool
'
list_test='
cmocka    |pkg-config cmocka       |libcmocka-dev        |libcmocka-devel   |cmocka    |libcmocka-devel
g++       |command -v g++          |g++                  |gcc-c++           |gcc       |gcc-c++
fuse3     |pkg-config fuse3        |libfuse3-dev fuse3   |fuse3-devel fuse3 |fuse3     |fuse3-devel fuse3
valgrind  |command -v valgrind     |valgrind libc6-dbg   |valgrind          |valgrind  |valgrind
xmllint   |command -v xmllint      |libxml2-utils        |libxml2           |libxml2   |libxml2-tools
fuzzer    |clang_fuzzer_there      |libclang-rt-14-dev   |compiler-rt       |compiler-rt|clang
format    |command -v clang-format |clang-format         |clang-tools-extra |clang     |clang-tools
tidy      |command -v clang-tidy   |clang-tidy           |clang-tools-extra |clang     |clang-tools
cppcheck  |command -v cppcheck     |cppcheck             |cppcheck          |cppcheck  |cppcheck
shellcheck|command -v shellcheck   |shellcheck           |ShellCheck        |shellcheck|ShellCheck
abidiff   |command -v abidiff      |abigail-tools        |libabigail        |libabigail|libabigail-tools
ip        |sbin_there ip         |iproute2             |iproute           |iproute2  |iproute2
iptables  |sbin_there iptables   |iptables             |iptables          |iptables  |iptables
iostat    |command -v iostat       |sysstat              |sysstat           |sysstat   |sysstat
perf      |command -v perf         |linux-perf           |perf              |perf      |perf
vmstat    |command -v vmstat       |procps               |procps-ng         |procps-ng |procps
ext4      |sbin_there mkfs.ext4    |e2fsprogs            |e2fsprogs         |e2fsprogs |e2fsprogs
losetup   |command -v losetup      |mount util-linux     |util-linux        |util-linux|util-linux
dd        |command -v dd           |coreutils            |coreutils         |coreutils |coreutils
locale    |ls /usr/share/i18n/locales/de_DE|locales            |glibc-locale-source|glibc    |glibc-i18ndata
dwz       |command -v dwz          |dwz                  |dwz               |dwz       |dwz
xz        |command -v xz           |xz-utils             |xz                |xz        |xz
python3   |command -v python3      |python3              |python3           |python    |python3
'
# What boots other kernels: only where WEIR_VM says how.
list_vm='
qemu      |command -v qemu-system-x86_64|qemu-system-x86|qemu-system-x86-core|qemu-system-x86|qemu-x86
cpio      |command -v cpio         |cpio                 |cpio              |cpio      |cpio
depmod    |sbin_there depmod       |kmod                 |kmod              |kmod      |kmod
xz        |command -v xz           |xz-utils             |xz                |xz        |xz
zstd      |command -v zstd         |zstd                 |zstd              |zstd      |zstd
dmsetup   |sbin_there dmsetup      |dmsetup              |device-mapper     |device-mapper|device-mapper
xfs       |sbin_there mkfs.xfs     |xfsprogs             |xfsprogs          |xfsprogs  |xfsprogs
btrfs     |sbin_there mkfs.btrfs   |btrfs-progs          |btrfs-progs       |btrfs-progs|btrfsprogs
'

# What drives flame graphs in a browser: large, so only when asked for.
list_browser='
chromium  |chromium_there          |chromium             |chromium          |chromium  |chromium
node      |command -v node         |nodejs               |nodejs            |nodejs    |nodejs
'

# What builds for 64-bit Arm, a second architecture of Debian's: only when asked for. Both of a library
# are named, as their versions must be the same.
list_arm64='
gcc-arm64 |command -v aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu
libyaml   |arm64_there libyaml-dev      |libyaml-dev libyaml-dev:arm64
libbpf    |arm64_there libbpf-dev       |libbpf-dev libbpf-dev:arm64
zlib      |arm64_there zlib1g-dev       |zlib1g-dev zlib1g-dev:arm64
zstd      |arm64_there libzstd-dev      |libzstd-dev libzstd-dev:arm64
iberty    |arm64_there libiberty-dev    |libiberty-dev libiberty-dev:arm64
libdw     |arm64_there libdw-dev        |libdw-dev libdw-dev:arm64
libpfm    |arm64_there libpfm4-dev      |libpfm4-dev libpfm4-dev:arm64
qemu      |arm64_guest_there            |qemu-system-arm
'

arm64_there() {
	dpkg-query -W -f '${Status}' "$1:arm64" 2>/dev/null | grep -q ' installed$'
}

# Its emulation, where WEIR_VM says that guests are wanted.
arm64_guest_there() {
	[ ! -x "${WEIR_VM-}/vm-run-arm64-pmu" ] || command -v qemu-system-aarch64
}

chromium_there() {
	command -v chromium || command -v chromium-browser || command -v google-chrome
}

# sbin_there NAME: a program that may lie where only root looks.
sbin_there() {
	PATH=$PATH:/usr/sbin:/sbin command -v "$1"
}

pfm_there() {
	echo '#include <perfmon/pfmlib.h>
	int main(void) { return pfm_initialize(); }' | cc -x c -o /dev/null - -lpfm
}

iberty_there() {
	echo 'int main(void) { return 0; }' | cc -x c -o /dev/null - -liberty
}

clang_fuzzer_there() {
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n ? 0 : 0; }' |
		clang -x c -fsanitize=fuzzer,address -o /dev/null -
}

manager() {
	for m in apt-get dnf pacman zypper; do
		command -v $m >/dev/null 2>&1 && { echo $m; return; }
	done
	echo none
}

list=$list_build
[ "$what" = browser ] && list=$list_browser
[ "$what" = arm64 ] && list=$list_arm64
[ "$what" = all ] && list="$list$list_test"
[ "$what" = all ] && [ -x "${WEIR_VM:+$WEIR_VM/vm-run}" ] && list="$list$list_vm"

case $(manager) in
apt-get) column=3 install='apt-get install -y --no-install-recommends' ;;
dnf) column=4 install='dnf install -y' ;;
pacman) column=5 install='pacman -S --noconfirm --needed' ;;
zypper) column=6 install='zypper install -y' ;;
*) column=3 install= ;;
esac

if [ "$what" = arm64 ] && [ $column != 3 ]; then
	echo "deps: only Debian's way to build for arm64 is known here" >&2
	exit 1
fi

missing=
while IFS= read -r row; do
	[ -n "$row" ] || continue
	there=$(echo "$row" | cut -d'|' -f2)
	eval "$there" >/dev/null 2>&1 && continue
	missing="$missing $(echo "$row" | cut -d'|' -f$column)"
done <<EOF
$list
EOF

missing=$(echo $missing)
[ -n "$missing" ] || exit 0

if [ -z "$install" ]; then
	echo "deps: no package manager that this script knows; install: $missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	sudo=sudo
	command -v sudo >/dev/null || { echo "deps: as root, run: $install $missing" >&2; exit 1; }
fi
echo "deps: installing $missing"
export DEBIAN_FRONTEND=noninteractive
[ "$what" != arm64 ] || $sudo dpkg --add-architecture arm64
if [ $column = 3 ]; then
	$sudo apt-get update -qq
fi
$sudo $install $missing
