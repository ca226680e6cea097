#!/bin/sh
# A campaign under a Slurm of one node, started here on loopback: as a job array, whose tasks each take their share, and by
# srun inside one allocation. No job is done twice, none is missing, all records lie in one store.
# Usage: slurm.sh SPMODEL SOURCE
set -u
spmodel=$1 source=$2
PATH="$PATH:/usr/sbin:/sbin"
skip() { echo "SKIPPED: $*"; exit 77; }
for program in slurmctld slurmd sbatch srun sinfo scancel timeout; do
    command -v $program >/dev/null || skip "no $program here (Debian: slurm-wlm)"
done
dir=$(mktemp -d)
end() {
    [ -f "$dir/d.pid" ] && kill "$(cat "$dir/d.pid")" 2>/dev/null
    [ -f "$dir/ctld.pid" ] && kill "$(cat "$dir/ctld.pid")" 2>/dev/null
    sleep 0.5
    rm -rf "$dir"
}
trap end EXIT
fail() { echo "slurm: $*"; cat "$dir"/out "$dir"/err "$dir"/task.* 2>/dev/null | tail -40; exit 1; }
mkdir "$dir/state" "$dir/spool"
host=$(hostname -s) me=$(id -un) port=$((20000 + $$ % 20000))
cat >"$dir/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/d.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
C
export SLURM_CONF="$dir/slurm.conf" SPMODEL_ASSUME=clean OMP_NUM_THREADS=1 XDG_CACHE_HOME="$dir/cache"
slurmctld >"$dir/out" 2>&1 && slurmd >>"$dir/out" 2>&1 || { cat "$dir/out"; skip "slurmctld or slurmd does not start here"; }
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    state=$(sinfo -h -o %T 2>/dev/null)
    [ "$state" = idle ] && break
    sleep 0.5
done
[ "$state" = idle ] || { tail -5 "$dir/ctld.log" "$dir/d.log"; skip "the node of this Slurm is not idle, but '$state'"; }

cd "$dir" || exit 1
cat >suite.txt <<'S'
matrix gen:laplace2d:12 gen:laplace2d:16 gen:laplace2d:20
run crs: --threads 1 --budget 1ms --samples 3 --no-hints --machine zen4-vm-2c
run sell: --threads 1 --budget 1ms --samples 3 --no-hints --machine zen4-vm-2c --format sell:8,64
S
records() { find "$1/records" -name 'campaign-*.json' | wc -l; }
# jobs_of FILE...: the jobs that these processes say they have done
jobs_of() { sed -n 's/^[0-9]* of 6 done: \(.*\) done after.*/\1/p' "$@" | sort; }
done_once() { # done_once STORE FILE...: all six, each by one process
    store=$1
    shift
    [ "$(records "$store")" = 6 ] || fail "$(records "$store") records in $store"
    jobs_of "$@" >jobs
    [ "$(wc -l <jobs)" = 6 ] && [ "$(uniq jobs | wc -l)" = 6 ] || { cat jobs; fail "the jobs were not done once each"; }
}

SPMODEL=$spmodel timeout 120 sbatch --wait --quiet --array=1-3 --exclusive=user -o 'task.%a' "$source/examples/slurm/campaign.sbatch" \
    suite.txt --store array >out 2>err || fail "the array fails"
done_once array task.1 task.2 task.3
for t in 1 2 3; do
    [ "$(jobs_of task.$t | wc -l)" = 2 ] || fail "task $t has not done its two jobs"
done
"$spmodel" campaign --summary --no-plots --store array suite.txt >out 2>err || fail "the results of the array are not joined"
# Of tasks that are numbered unevenly: one error, exit code 2.
timeout 60 sbatch --wait --quiet --array=1,2,5 -o 'odd.%a' --wrap "$spmodel campaign suite.txt --store odd" >out 2>err
grep -q 'has no place among its 3 tasks' odd.5 || { cat odd.5; fail "tasks 1, 2, 5 are not refused"; }

timeout 120 srun --quiet -n 3 -o 'step.%t' "$spmodel" campaign --no-plots --store step suite.txt >out 2>err || fail "srun fails"
done_once step step.0 step.1 step.2
echo "slurm: ok"
