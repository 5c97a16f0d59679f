"""What stacks, queues, deques and lists do with their elements, as pure functions.

An element lies at a place; place 0 is the front. Each place also says whether it is
filled: component 0 of its contents is 1 where there is an element and 0 where there is
none, and an empty place is all zeros. So a network can see that a stack is empty.

A network draws no action. It weighs all of them by their probabilities, and the
contents are the mean over what each of them would leave behind. That is the formulation
of Joulin and Mikolov for stack and list; here it holds for the four kinds:

| kind  | actions                                             | reads          |
| ----- | --------------------------------------------------- | -------------- |
| stack | push, pop, no-op                                    | front          |
| queue | push, pop, no-op                                    | front          |
| deque | push front, push back, pop front, pop back, no-op   | front and back |
| list  | insert, left, right, no-op                          | head           |

A stack pushes at the front, a queue at the back, and both pop at the front. A push onto
a full one drops the element at the other end, which is the oldest of a stack or queue.
A pop of an empty one does nothing.

A list has a head, which stays at the place in the middle: where the head moves left or
right, all elements move the other way. An inserted element is the new head, and the one
before it lies left of it. What moves beyond the first or the last place is dropped.

What happens at the back depends on how many elements there are, which is uncertain
where actions are. The place of the back then has a distribution, which follows from how
much each place is filled; contents and number of elements are taken as independent.

Letters: `B` batch, `S` stacks, `P` places of each, `E` components of an element.

References:
    Joulin, Mikolov (2015), Inferring Algorithmic Patterns with Stack-Augmented
    Recurrent Nets, arXiv:1503.01007, section 3.
    Grefenstette, Hermann, Suleyman, Blunsom (2015), Learning to Transduce with
    Unbounded Memory, arXiv:1506.02516, for the idea of queues and deques.

    Deviation: an empty place is zeros beside a component that says so, and not -1. It
    is the same up to a linear map, the initial state of a Keras cell may be zeros, and
    what is lost can be counted.
    Deviation: Grefenstette et al. give each element a strength, and pop and push at the
    same step. Weighing actions treats all kinds alike, and its states have a fixed
    size.
"""

from collections.abc import Callable

from keras import ops

from ..numerics.tensor_checks import Tensor
from ..numerics.top_k import first_largest

# Below this share of being filled, the contents of a place do not matter.
EPSILON = 1e-6


def push_front(places: Tensor, element: Tensor) -> Tensor:
    """All elements move back by one place; `element` is the new front.

    Args:
        places: `(B, S, 1 + E, P)`.
        element: `(B, S, 1 + E)`, its first component 1.
    """
    return ops.concatenate([element[..., None], places[..., :-1]], axis=-1)


def pop_front(places: Tensor, element: Tensor | None = None) -> Tensor:
    """All elements move forward by one place. `element` is not used."""
    return ops.concatenate([places[..., 1:], ops.zeros_like(places[..., :1])], axis=-1)


def push_back(places: Tensor, element: Tensor) -> Tensor:
    """`element` comes behind the back; if all places are filled, all elements move
    forward by one place first."""
    filled, element = places[..., :1, :], element[..., None]
    before = ops.concatenate([ops.ones_like(filled[..., :1]), filled[..., :-1]], -1)
    first_free = before - filled
    full = filled[..., -1:]
    # How much of what is at a place belongs to the case that all are filled.
    moved = _times(full / ops.maximum(filled, EPSILON), places)
    forward = ops.concatenate([moved[..., 1:], full * element], axis=-1)
    return places - moved + forward + _times(first_free, element)


def pop_back(places: Tensor, element: Tensor | None = None) -> Tensor:
    """The element at the back is removed. `element` is not used."""
    filled, behind = _filled_and_behind(places)
    return _times(behind / ops.maximum(filled, EPSILON), places)


def insert(places: Tensor, element: Tensor) -> Tensor:
    """`element` is the new head; the head and what is left of it move left."""
    head = head_place(places.shape[-1])
    left, right = places[..., 1 : head + 1], places[..., head + 1 :]
    return ops.concatenate([left, element[..., None], right], axis=-1)


def move_left(places: Tensor, element: Tensor | None = None) -> Tensor:
    """The head moves left. `element` is not used."""
    return ops.concatenate([ops.zeros_like(places[..., :1]), places[..., :-1]], axis=-1)


def move_right(places: Tensor, element: Tensor | None = None) -> Tensor:
    """The head moves right. `element` is not used."""
    return pop_front(places)


def keep(places: Tensor, element: Tensor | None = None) -> Tensor:
    """`places` as they are."""
    return places


# The actions of each kind, in the order of their probabilities.
KINDS: dict[str, dict[str, Callable]] = {
    "stack": {"push": push_front, "pop": pop_front, "no-op": keep},
    "queue": {"push": push_back, "pop": pop_front, "no-op": keep},
    "deque": {
        "push front": push_front,
        "push back": push_back,
        "pop front": pop_front,
        "pop back": pop_back,
        "no-op": keep,
    },
    "list": {
        "insert": insert,
        "left": move_left,
        "right": move_right,
        "no-op": keep,
    },
}
# The place whose element is lost, if there is one, by action.
_LOST = {push_front: -1, push_back: -1, insert: 0, move_left: -1, move_right: 0}


def head_place(depth: int) -> int:
    """The place of a list's head."""
    return depth // 2


def first_read(kind: str, depth: int) -> int:
    """The first place that `read` returns: the front, or the head of a list."""
    return head_place(depth) if kind == "list" else 0


def update(kind: str, places: Tensor, actions: Tensor, element: Tensor) -> Tensor:
    """The places after a step.

    Args:
        kind: One of `KINDS`.
        places: `(B, S, 1 + E, P)`.
        actions: `(B, S, A)`, probabilities of the actions of that kind.
        element: `(B, S, E)`, what is pushed or inserted.
    """
    element = ops.concatenate([ops.ones_like(element[..., :1]), element], axis=-1)
    weights = ops.unstack(actions[..., None, None], axis=2)
    results = [act(places, element) for act in KINDS[kind].values()]
    return sum(w * result for w, result in zip(weights, results, strict=True))


def dropped(kind: str, places: Tensor, actions: Tensor) -> Tensor:
    """How many elements a step drops because there is no place for them, `(B, S)`: from
    0 to 1. Arguments as for `update`, `places` from before the step."""
    return sum(
        actions[..., index] * places[..., 0, _LOST[act]]
        for index, act in enumerate(KINDS[kind].values())
        if act in _LOST
    )


def read(kind: str, places: Tensor, read_depth: int) -> Tensor:
    """What a network sees: the first places, and of a deque also the back; of a list
    the head and the places right of it.

    Args:
        kind: One of `KINDS`.
        places: `(B, S, 1 + E, P)`.
        read_depth: Number of places at the front, at most P, or from the head on.
    Returns:
        `(B, S, 1 + E, num_reads(kind, read_depth))`.
    """
    first = first_read(kind, places.shape[-1])
    front = places[..., first : first + read_depth]
    if kind != "deque":
        return front
    filled, behind = _filled_and_behind(places)
    is_back = (filled - behind) / ops.maximum(filled, EPSILON)
    back = ops.einsum("bsp,bswp->bsw", is_back[:, :, 0], places)
    return ops.concatenate([front, back[..., None]], axis=-1)


def num_reads(kind: str, read_depth: int) -> int:
    """Number of places that `read` returns."""
    return read_depth + (kind == "deque")


def rounded(actions: Tensor) -> Tensor:
    """The most probable action gets 1 and the others 0; it has no gradient.

    Args:
        actions: `(..., A)`.
    """
    _, best = first_largest(actions)
    return ops.one_hot(best, actions.shape[-1], dtype=actions.dtype)


def _times(share: Tensor, places: Tensor) -> Tensor:
    """`share` `(B, S, 1, P)` of what is at each place; of an element `(B, S, 1 + E, 1)`
    at every place, too."""
    # XLA for processors is 40 times slower at the gradient of a product, a sum over
    # components, than at that of `einsum`, a product of matrices.
    if places.shape[-1] == 1:
        return ops.einsum("bsp,bsw->bswp", share[:, :, 0], places[..., 0])
    return ops.einsum("bsp,bswp->bswp", share[:, :, 0], places)


def _filled_and_behind(places: Tensor) -> tuple[Tensor, Tensor]:
    """How much each place is filled, and how much the next one, `(B, S, 1, P)`."""
    filled = places[..., :1, :]
    return filled, pop_front(filled)
