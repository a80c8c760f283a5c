"""Labels and what each of them has: an open-addressing table and a list, for one example."""

from typing import NamedTuple

import numpy as np

from lomtree.jit.kernel import kernel


class Bag(NamedTuple):
    buckets: np.ndarray  # int32[power of two]: 1 + place in the list, by the label's hash; 0: free
    taken: np.ndarray  # int64[]: the buckets in use
    labels: np.ndarray  # int32[]
    masses: np.ndarray  # float64[]


def make_bag(most: int) -> Bag:
    """For so many labels."""
    return Bag(
        np.zeros(1 << (2 * most).bit_length(), np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most),
    )


@kernel
def bucket_of(bag, label):
    """The bucket of a label, or the free one where it belongs."""
    mask = len(bag.buckets) - 1
    bucket = np.int64(np.uint32(np.uint32(label) * np.uint32(0x9E3779B1))) & mask
    while bag.buckets[bucket] != 0 and bag.labels[bag.buckets[bucket] - 1] != label:
        bucket = (bucket + 1) & mask
    return bucket


@kernel
def add(bag, held, label, mass):
    """Add to what a label has; returns how many labels are in the bag then."""
    bucket = bucket_of(bag, label)
    if bag.buckets[bucket] != 0:
        bag.masses[bag.buckets[bucket] - 1] += mass
        return held
    bag.buckets[bucket] = held + 1
    bag.taken[held] = bucket
    bag.labels[held] = label
    bag.masses[held] = mass
    return held + 1


@kernel
def empty(bag, held):
    """Forget which labels are in the bag; the list stays until the next one comes."""
    for place in range(held):
        bag.buckets[bag.taken[place]] = 0


@kernel
def best_of(bag, held, share, places):
    """Write the places of the labels that have most, largest first, of equals the one that came
    first, but none that has less than this share of the first; returns how many."""
    most, count, largest = len(places), 0, -np.inf
    for place in range(held):
        largest = max(largest, bag.masses[place])
    least = share * largest if largest > 0.0 else -np.inf  # most have less
    for place in range(held):
        mass = bag.masses[place]
        if mass < least or (count == most and mass <= least):
            continue
        at = count if count < most else most - 1
        while at > 0 and bag.masses[places[at - 1]] < mass:
            places[at] = places[at - 1]
            at -= 1
        places[at] = place
        count = min(count + 1, most)
        if count == most:
            least = max(least, bag.masses[places[count - 1]])
    while count > 1 and bag.masses[places[count - 1]] < share * bag.masses[places[0]]:
        count -= 1
    return count
