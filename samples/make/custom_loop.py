#!/usr/bin/env python3
"""A custom training loop under tf.profiler.experimental.Profile, with any tracer level.

    python3.11 -m venv VENV && VENV/bin/pip install tensorflow-cpu==2.15.1
    VENV/bin/python samples/make/custom_loop.py LOGDIR [--host N] [--python N] [--device N] [--steps N] [--eager]

    samples/custom_loop/host1          --host 1
    samples/custom_loop/host2          --host 2
    samples/custom_loop/host3          --host 3
    samples/custom_loop/host2_python1  --host 2 --python 1
    samples/custom_loop/host0_python1  --host 0 --python 1
    samples/custom_loop/host2_eager    --host 2 --eager
    samples/custom_loop/tf221          the defaults, with tensorflow-cpu==2.21.0

TensorFlow 2.21 takes no notice of the levels: whatever is asked for, its files are those of --host 2 --python 0. The device
tracer has nothing to trace on a CPU: --device 0 and 1 give the same there.
"""

import argparse

import tensorflow as tf

LAYERS, WIDTH, BATCH = 4, 256, 64


def make_step():
    weights = [tf.Variable(tf.random.normal([WIDTH, WIDTH])) for _ in range(LAYERS)]

    def train_step(x):
        with tf.GradientTape() as tape:
            for i, weight in enumerate(weights):
                with tf.name_scope(f"layer{i}"):
                    x = tf.nn.relu(tf.matmul(x, weight))
            loss = tf.reduce_mean(x)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.01 * gradient)
        return loss

    return train_step


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logdir")
    parser.add_argument("--host", type=int, default=2, choices=(0, 1, 2, 3), help="host_tracer_level")
    parser.add_argument("--python", type=int, default=0, choices=(0, 1), help="python_tracer_level")
    parser.add_argument("--device", type=int, default=1, choices=(0, 1), help="device_tracer_level")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--eager", action="store_true", help="without tf.function")
    options = parser.parse_args()
    step = make_step() if options.eager else tf.function(make_step())
    data = tf.data.Dataset.from_tensors(tf.random.normal([BATCH, WIDTH]))
    batches = iter(data.map(lambda x: x * 2.0).repeat().prefetch(1))
    step(next(batches))  # traces the function before the profile starts
    levels = tf.profiler.experimental.ProfilerOptions(
        host_tracer_level=options.host, python_tracer_level=options.python, device_tracer_level=options.device)
    with tf.profiler.experimental.Profile(options.logdir, options=levels):
        for number in range(options.steps):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step(next(batches))


if __name__ == "__main__":
    main()
