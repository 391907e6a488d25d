#!/bin/sh
# Seven runs of a small U-Net and seven with one layer doubled, in turn: samples/regression.
#
#     samples/make/regression.sh PYTHON OUTDIR
#
# PYTHON is that of a virtual environment with tensorflow-cpu==2.15.1 (unet_fit.py). The sides are interleaved, so that a
# machine that becomes slower meanwhile doesn't tell on one side only. One thread computes, and samples/regression was
# made by `chrt -f 20 samples/make/regression.sh ...`, since other programs were at work on the machine.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 PYTHON OUTDIR" >&2; exit 2; }
export TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1 TF_CPP_MIN_LOG_LEVEL=2

train() { # train LOGDIR [FLAG...]
  logdir=$1
  shift
  "$python" "$(dirname "$0")/unet_fit.py" "$logdir" --steps 9 --size 128 --levels 1 "$@"
  for profile in "$logdir"/plugins/profile/*/*.xplane.pb; do
    mv "$profile" "$(dirname "$profile")/host0.xplane.pb"
  done
  rm -rf "$logdir/train" # TensorBoard's own events, no profile
}

python=$1
for run in 1 2 3 4 5 6 7; do
  train "$2/base/$run"
  train "$2/slow/$run" --double up0_conv1
done
