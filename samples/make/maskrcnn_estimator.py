#!/usr/bin/env python3
"""A small model of Mask R-CNN's shape (backbone, region proposals, box and mask heads) trained by tf.estimator.

    python3.11 -m venv VENV && VENV/bin/pip install tensorflow-cpu==2.15.1
    VENV/bin/python samples/make/maskrcnn_estimator.py OUTDIR [--steps N] [--memory] [--profile LOGDIR]

TensorFlow 2.15 is the last release with tf.estimator. Without --profile, tf.train.ProfilerHook writes a Chrome timeline
every 10 steps to OUTDIR/timeline-<step>.json; with it, the run is profiled by tf.profiler.experimental.Profile instead.

    samples/maskrcnn_hook         --steps 40 (timelines of steps 10 and 30 are kept)
    samples/maskrcnn_hook_memory  --steps 40 --memory (step 20)
    samples/maskrcnn_profile      --steps 20 --profile LOGDIR
"""

import argparse

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
IMAGE_SIZE = 64
ANCHORS = 8 * 8 * 3
ROIS = 16  # regions of interest an image
CLASSES = 5


def conv(x, channels, name, stride=1):
    kernel = v1.get_variable(name + "/kernel", [3, 3, x.shape[-1], channels])
    bias = v1.get_variable(name + "/bias", [channels], initializer=v1.zeros_initializer())
    with v1.name_scope(name):
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, stride, "SAME"), bias))


def dense(x, channels, name):
    kernel = v1.get_variable(name + "/kernel", [x.shape[-1], channels])
    with v1.name_scope(name):
        return tf.matmul(x, kernel)


def backbone(images):
    with v1.variable_scope("resnet50"):
        for i, channels in enumerate((8, 16, 32)):
            images = conv(images, channels, f"conv{i}", 2)
    return images


def region_proposals(features):
    """Scores and boxes of all anchors."""
    with v1.variable_scope("rpn"):
        hidden = conv(features, 32, "rpn_conv")
        scores = tf.reshape(conv(hidden, 3, "rpn_class"), [-1, ANCHORS])
        boxes = tf.reshape(conv(hidden, 12, "rpn_box"), [-1, ANCHORS, 4])
    return scores, boxes


def roi_align(features, scores, boxes):
    """The features of the best regions, 7 x 7 each."""
    with v1.variable_scope("roi_align"):
        _, best = tf.nn.top_k(scores, ROIS)
        regions = tf.sigmoid(tf.gather(boxes, best, batch_dims=1))
        image_of_region = tf.repeat(tf.range(tf.shape(features)[0]), ROIS)
        rois = tf.image.crop_and_resize(features, tf.reshape(regions, [-1, 4]), image_of_region, [7, 7])
        rois.set_shape([None, 7, 7, 32])
    return rois


def model_fn(features, labels, mode):
    features = backbone(features)
    scores, boxes = region_proposals(features)
    rois = roi_align(features, scores, boxes)
    with v1.variable_scope("box_head"):
        hidden = tf.nn.relu(dense(tf.reshape(rois, [-1, 7 * 7 * 32]), 64, "fc6"))
        logits = dense(hidden, CLASSES, "class")
    with v1.variable_scope("mask_head"):
        masks = conv(conv(rois, 16, "mask1"), 1, "mask2")
    class_loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.repeat(labels, ROIS), logits=logits))
    loss = class_loss + tf.reduce_mean(tf.square(masks)) + tf.reduce_mean(tf.square(boxes))
    optimizer = v1.train.MomentumOptimizer(0.01, 0.9)
    train_op = optimizer.minimize(loss, v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    random = np.random.default_rng(0)
    images = random.random((64, IMAGE_SIZE, IMAGE_SIZE, 3), dtype=np.float32)
    labels = random.integers(0, CLASSES, 64).astype(np.int32)
    return tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(64).repeat().batch(2).prefetch(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--memory", action="store_true", help="ProfilerHook(show_memory=True)")
    parser.add_argument("--profile", metavar="LOGDIR", help="use the Profile API instead of ProfilerHook")
    options = parser.parse_args()
    v1.disable_eager_execution()
    estimator = tf.estimator.Estimator(model_fn, model_dir=options.outdir + "/model")
    if options.profile:
        levels = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=1)
        with tf.profiler.experimental.Profile(options.profile, options=levels):
            estimator.train(input_fn, steps=options.steps)
    else:
        hook = tf.estimator.ProfilerHook(save_steps=10, output_dir=options.outdir, show_dataflow=True,
                                         show_memory=options.memory)
        estimator.train(input_fn, steps=options.steps, hooks=[hook])


if __name__ == "__main__":
    main()
