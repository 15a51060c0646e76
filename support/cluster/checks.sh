all_checks="start"
check_start() {
srun -N3 -n6 sh -c 'echo $(hostname) $SLURM_PROCID'
mpirun -np 6 --oversubscribe --allow-run-as-root sh -c 'echo $(hostname) $OMPI_COMM_WORLD_RANK'
seq 0 5 | parallel --will-cite --ssh "ssh -F /cluster/ssh/config" --sshlogin 1/node-a,1/node-b --retries 3 'hostname; echo {}'
kill_node n2
time wait_for 60 node_is n2 down
start_slurmd n2
time wait_for 60 node_is n2 idle
ps axf
}
