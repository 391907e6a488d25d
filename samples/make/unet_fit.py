#!/usr/bin/env python3
"""A small U-Net trained by Keras' model.fit, profiled by the TensorBoard callback (profile_batch).

    python3.11 -m venv VENV && VENV/bin/pip install tensorflow-cpu==2.15.1
    VENV/bin/python samples/make/unet_fit.py LOGDIR [--steps N] [--size PIXELS] [--levels N] [--double LAYER]

samples/unet_fit was made with the defaults, on two CPU cores; its file was renamed to host0.xplane.pb. TensorBoard's
callback writes it to LOGDIR/plugins/profile/<time>/<host>.xplane.pb. --double gives one convolution (such as up0_conv1)
twice its channels: a regression to be found by a comparison of runs (docs/statistics.md).
"""

import argparse

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
CHANNELS = (8, 16, 32)  # of each level, top down


def block(x, channels, name, doubled):
    for layer in (f"{name}_conv1", f"{name}_conv2"):
        filters = channels * (2 if layer == doubled else 1)
        x = layers.Conv2D(filters, 3, padding="same", activation="relu", name=layer)(x)
    return x


def unet(size, levels, doubled=None):
    image = layers.Input((size, size, 1))
    channels_of = CHANNELS[:levels]
    skips, x = [], image
    for depth, channels in enumerate(channels_of):
        x = block(x, channels, f"down{depth}", doubled)
        skips.append(x)
        x = layers.MaxPooling2D(name=f"pool{depth}")(x)
    x = block(x, 2 * channels_of[-1], "bottom", doubled)
    for depth, channels in reversed(list(enumerate(channels_of))):
        x = layers.Conv2DTranspose(channels, 2, strides=2, name=f"up{depth}_t")(x)
        x = layers.Concatenate(name=f"cat{depth}")([x, skips[depth]])
        x = block(x, channels, f"up{depth}", doubled)
    return tf.keras.Model(image, layers.Conv2D(1, 1, activation="sigmoid", name="mask")(x))


def augment(image, mask):
    return tf.image.random_flip_left_right(image), mask


def dataset(size):
    images = np.random.default_rng(0).random((64, size, size, 1), dtype=np.float32)
    masks = (images > 0.5).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices((images, masks)).shuffle(64)
    return data.map(augment, num_parallel_calls=2).batch(4).repeat().prefetch(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logdir")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--levels", type=int, choices=(1, 2, 3), default=3, help="how often the image is made smaller")
    parser.add_argument("--double", metavar="LAYER", help="a convolution that gets twice its channels")
    options = parser.parse_args()
    model = unet(options.size, options.levels, options.double)
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    profiler = tf.keras.callbacks.TensorBoard(log_dir=options.logdir, histogram_freq=0,
                                              profile_batch=(3, max(4, options.steps - 2)))
    model.fit(dataset(options.size), steps_per_epoch=options.steps, epochs=1, callbacks=[profiler], verbose=2)


if __name__ == "__main__":
    main()
