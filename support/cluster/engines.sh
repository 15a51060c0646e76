# shellcheck shell=sh
# engines.sh: functions that start and kill the nodes and hosts of the machine of
# test-cluster.sh: three slurmd (n1, n2, n3) and two sshd (node-a, node-b). Sourced.

export SLURM_CONF=/cluster/slurm.conf

# start_node NAME COMMAND...: starts a node whose only daemon is the command.
start_node() {
    node=$1
    setsid unshare --pid --uts --mount-proc --fork --kill-child \
        sh node.sh "$@" >"log/node-$node" 2>&1 </dev/null &
    echo $! >"run/$node"
}

# first_process NAME: prints the first process of a node.
first_process() {
    pgrep -P "$(cat "run/$1")"
}

# kill_node NAME: kills every process of a node at once.
kill_node() {
    node=$(cat "run/$1")
    kill -9 "$(first_process "$1")"
    wait "$node" 2>/dev/null || :
}

start_slurmd() {
    start_node "$1" slurmd -f "$SLURM_CONF" -N "$1"
}

start_sshd() {
    start_node "$1" /usr/sbin/sshd -f "ssh/$1"
}

# node_is NAME STATE: true if Slurm reports this state of the node.
node_is() {
    case $(sinfo -h -n "$1" -o %T) in
    "$2"*) return 0 ;;
    esac
    return 1
}

nodes_are_idle() {
    node_is n1 idle && node_is n2 idle && node_is n3 idle
}

start_slurm() {
    mkdir -p slurm/state slurm/spool-n1 slurm/spool-n2 slurm/spool-n3
    install -d -o munge -g munge -m 755 /run/munge
    head -c 128 /dev/urandom >/etc/munge/munge.key
    chown munge:munge /etc/munge/munge.key
    chmod 400 /etc/munge/munge.key
    runuser -u munge -- munged
    slurmctld -f "$SLURM_CONF"
    for node in n1 n2 n3; do
        start_slurmd "$node"
    done
}

start_ssh() {
    mkdir -p ssh /run/sshd
    chmod 700 ssh
    ssh-keygen -q -t ed25519 -N '' -f ssh/host
    ssh-keygen -q -t ed25519 -N '' -f ssh/user
    # A locked account cannot log in, not even with a key.
    usermod -p '*' root
    port=2201
    for node in node-a node-b; do
        cat >"ssh/$node" <<END
Port $port
ListenAddress 127.0.0.1
HostKey /cluster/ssh/host
AuthorizedKeysFile /cluster/ssh/user.pub
PidFile /cluster/run/$node.pid
PermitRootLogin yes
StrictModes no
UsePAM no
END
        cat >>ssh/config <<END
Host $node
    HostName 127.0.0.1
    Port $port
    User root
    IdentityFile /cluster/ssh/user
    IdentitiesOnly yes
    UserKnownHostsFile /cluster/ssh/known
    StrictHostKeyChecking accept-new
    HostKeyAlias $node
    LogLevel ERROR
END
        start_sshd "$node"
        port=$((port + 1))
    done
}

start_engines() {
    mkdir -p run
    hostname head
    echo "127.0.0.1 localhost head n1 n2 n3 node-a node-b" >/etc/hosts
    ip link set lo up
    # Slurm and Open MPI refuse a machine without a network besides 127.0.0.1.
    ip link add net0 type veth peer name net1
    ip address add 192.0.2.1/24 dev net0
    ip link set net0 up
    ip link set net1 up
    start_slurm
    start_ssh
    wait_for 30 nodes_are_idle
    wait_for 30 ssh -F ssh/config node-a true
    wait_for 30 ssh -F ssh/config node-b true
}
