#!/usr/bin/env python3
"""A small JAX training loop under jax.profiler.

    python3.11 -m venv VENV && VENV/bin/pip install 'jax[cpu]==0.10.2'
    VENV/bin/python samples/make/jax_train.py LOGDIR [--steps N]

samples/jax_train was made with the defaults, on two CPU cores. JAX writes a trace.json.gz of the same run beside the
xplane.pb.
"""

import argparse

import jax
import jax.numpy as jnp

LAYERS, WIDTH, BATCH = 4, 256, 128


def loss(weights, x):
    for weight in weights:
        x = jax.nn.gelu(x @ weight)
    return jnp.mean(x * x)


@jax.jit
def update(weights, x):
    gradients = jax.grad(loss)(weights, x)
    return [weight - 0.01 * gradient for weight, gradient in zip(weights, gradients)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logdir")
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # no paths of this machine in the profile
    weights = [jax.random.normal(jax.random.PRNGKey(i), (WIDTH, WIDTH)) * 0.05 for i in range(LAYERS)]
    x = jax.random.normal(jax.random.PRNGKey(9), (BATCH, WIDTH))
    weights = update(weights, x)  # compiles before the profile starts
    with jax.profiler.trace(options.logdir):
        for step in range(options.steps):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                weights = update(weights, x)
        jax.block_until_ready(weights)


if __name__ == "__main__":
    main()
