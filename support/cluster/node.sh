#!/bin/sh
# node.sh NAME COMMAND...: the first process of a node: starts the daemon, and stays.
# Ending it with kill -9 ends every process of the node.
hostname "$1"
shift
"$@"
# A shell that waits also reaps the orphans of the node.
sleep 1000000 &
wait
