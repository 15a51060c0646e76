#!/bin/sh
# test-cluster.sh: runs the shards of plans on a real Slurm (three nodes), Open MPI
# and GNU parallel over ssh (two hosts), kills nodes, and compares the merged
# output with that of one process.
#
# Everything happens on one throwaway machine: the host's root directory under an
# overlay in memory, with mount, process, IPC, host name and network namespaces of
# its own. Debian's packages are installed there. When this script ends, for
# whatever reason, the kernel ends every process of that machine and drops its
# files.
#
# Each node and each ssh host is a process namespace with its own host name, so a
# node is killed as a machine dies: all its processes at once.
#
# WEIR=FILE is the tool to test [default: .build/release/weir]; CLUSTER_LOG=DIR keeps
# the logs of all daemons and jobs; CLUSTER_CHECKS="array rank" runs these checks only
# (support/cluster/checks.sh has the list).
#
# Needs root, overlayfs, 2 GB of memory, and the mirror of the host's apt.
set -eu

. support/shell.sh

packages="iproute2 munge openmpi-bin openssh-client openssh-server parallel procps
    slurm-client slurmctld slurmd strace"

# ---- outside the namespaces --------------------------------------------------

if [ -z "${WEIR_CLUSTER-}" ]; then
    tool=${WEIR:-.build/release/weir}
    [ "$(id -u)" -eq 0 ] || fail "only root can make a throwaway machine; use sudo make test-cluster"
    [ -x "$tool" ] || fail "$tool is not there; use make release, or WEIR=FILE"
    for program in apt-get unshare setpriv nsenter; do
        command -v "$program" >/dev/null 2>&1 || fail "$program is not installed"
    done
    grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null ||
        fail "this kernel has no overlayfs"

    WEIR_CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/weir-cluster.XXXXXX")
    export WEIR_CLUSTER
    child=
    # Nothing is mounted here outside of the namespace, so rm cannot reach the host.
    trap '[ -z "$child" ] || { kill -9 "$child" && wait "$child"; } 2>/dev/null || :
        rm -rf --one-file-system "$WEIR_CLUSTER"' EXIT
    trap 'exit 130' INT TERM HUP

    begin=$(date +%s)
    : >"$WEIR_CLUSTER/output"
    # The machine does not outlive this shell, even if kill -9 ends it.
    setpriv --pdeathsig KILL unshare --mount --pid --ipc --uts --fork --kill-child \
        --propagation private sh "$0" "$tool" </dev/null >"$WEIR_CLUSTER/output" 2>&1 &
    child=$!
    tail -n +1 -s 0.2 -f --pid "$child" "$WEIR_CLUSTER/output" &
    status=0
    wait "$child" || status=$?
    child=
    wait

    [ "$status" -eq 0 ] || fail "FAILED, after $(($(date +%s) - begin)) s"
    say "passed, in $(($(date +%s) - begin)) s"
    exit 0
fi

# ---- the machine: PID 1 of the namespaces ------------------------------------

tool=$1
root=$WEIR_CLUSTER/machine/root

in_machine() {
    chroot "$root" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

install_machine() {
    mkdir "$WEIR_CLUSTER/machine"
    mount -t tmpfs -o size=75%,nr_inodes=0 tmpfs "$WEIR_CLUSTER/machine"
    mkdir "$WEIR_CLUSTER/machine/upper" "$WEIR_CLUSTER/machine/work" "$root"
    mount -t overlay overlay "$root" \
        -o "lowerdir=/,upperdir=$WEIR_CLUSTER/machine/upper,workdir=$WEIR_CLUSTER/machine/work"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs tmpfs "$root/run"
    rm -f "$root/etc/resolv.conf" "$root/usr/sbin/policy-rc.d"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    # Unpacked files need not survive a power cut.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/weir-cluster"
    # shellcheck disable=SC2086
    in_machine sh -c 'apt-get -q update; apt-get install -q -y --no-install-recommends "$@"' \
        sh $packages
    mkdir -p "$root/cluster/log"
    cp "$tool" "$root/usr/local/bin/weir"
    cp support/cluster/* docs/cluster.md "$root/cluster/"
}

begin=$(date +%s)
mkdir "$WEIR_CLUSTER/log"
install_machine >"$WEIR_CLUSTER/log/install" 2>&1 || {
    tail -n 20 "$WEIR_CLUSTER/log/install" >&2
    fail "the machine could not be installed"
}
say "the machine: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)," \
    "$(nproc) cores, installed in $(($(date +%s) - begin)) s"
status=0
unshare --net chroot "$root" env -i HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CLUSTER_CHECKS="${CLUSTER_CHECKS-}" sh /cluster/run.sh || status=$?
[ -z "${CLUSTER_LOG-}" ] || {
    mkdir -p "$CLUSTER_LOG"
    cp -r "$root/cluster/log/." "$CLUSTER_LOG/"
}
exit "$status"
