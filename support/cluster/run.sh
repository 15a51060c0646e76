#!/bin/sh
# run.sh: starts the engines on the throwaway machine of test-cluster.sh, runs the
# checks, and prints the time of each.
set -eu

cd /cluster
for functions in wait engines checks; do
    # shellcheck source=/dev/null
    . "./$functions.sh"
done

begin=$(seconds)
start_engines
ok "three Slurm nodes, two ssh hosts: ready in $(since "$begin")"
for check in ${CLUSTER_CHECKS:-$all_checks}; do
    begin=$(seconds)
    : >log/said
    "check_$check"
    ok "$(cat log/said) ($(since "$begin"))"
done
