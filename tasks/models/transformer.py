"""The Transformer that recurrent networks are compared with."""

import dataclasses
from typing import TYPE_CHECKING, Any

from ..checks import check_boolean, check_choice, check_integer, check_number
from ..contract.of_few_tasks import is_read_whole
from ..contract.task import Task
from .base import ModelConfig

if TYPE_CHECKING:
    import keras

# The hidden layer of a block is so many times as wide as the block.
WIDENING = 4


@dataclasses.dataclass(frozen=True)
class Transformer(ModelConfig):
    """A Transformer encoder: each block attends, then has two dense layers; both add to
    what comes in, and are normalised.

    A step sees the whole input, the empty steps of the answer too. With `causal` it
    sees no later steps, which is needed where an answer is due before all of the input
    is there. It carries no state: it reads no streams, and no sequence step by step.

    Args:
        num_layers: Number of blocks.
        layer_size: Width of a block, a multiple of the heads.
        num_heads: Heads of each block.
        positions: What a head knows of positions: relative, the distances of steps as
            in Transformer-XL, see `memnets.attention.RelativeAttention`; or none.
        dropout: Share of the outputs of each part of a block that training sets to 0.
        causal: Whether a step sees only itself and those before it.
    Reference:
        Vaswani et al. (2017), Attention is all you need, arXiv:1706.03762; sizes and
        dropout of Delétang et al. (2023), arXiv:2207.02098, section A.2.
    """

    num_layers: int = 5
    layer_size: int = 64
    num_heads: int = 8
    positions: str = "relative"
    dropout: float = 0.1
    causal: bool = False

    name = "transformer"
    # The middle one of the paper's three, and the bound of its public runs.
    learning_rate = 3e-4
    clip_norm = 1.0
    # XLA took minutes of a core to compile the shapes of a training.
    xla_on_cpu = False

    def __post_init__(self) -> None:
        for name in ("num_layers", "layer_size", "num_heads"):
            check_integer(name, getattr(self, name))
        check_choice("positions", self.positions, ("relative", "none"))
        check_number("dropout", self.dropout, minimum=0, below=1)
        check_boolean("causal", self.causal)
        if self.layer_size % self.num_heads:
            raise ValueError(
                f"`layer_size` must be a multiple of the {self.num_heads} heads. "
                f"Received: layer_size={self.layer_size}"
            )

    def build(self, task: Task) -> "keras.Model":
        """The network of a task of vectors or symbols.

        Raises:
            ValueError: If the task has other inputs, or the answer is due before all of
                the input is there and the network is not causal.
        """
        inputs = task.inputs()
        if (
            isinstance(inputs, dict)
            or len(inputs.shape) != 3
            or inputs.dtype != "float32"
            or not task.every_step
        ):
            raise ValueError(
                f"The model {self.name} must have a task of vectors or symbols with an "
                "answer at its steps, no texts that are written or read as a stream. "
                f"Received: {task.name}"
            )
        if not is_read_whole(task) and not self.causal:
            raise ValueError(
                f"`causal` must be True for the model {self.name} and the task "
                f"{task.name}, whose steps without an input are not always after all "
                "others: a step must not see later ones (--causal)."
            )
        return super().build(task)

    def layer(self, units: int) -> "keras.layers.Layer":
        import keras

        # Steps without an input are padding, unless they are hidden from earlier ones.
        padding = keras.layers.Masking() if not self.causal else lambda inputs: inputs
        embedding = keras.layers.Dense(self.layer_size, use_bias=False)
        outputs = keras.layers.Dense(units, name="outputs")

        def call(inputs: Any) -> Any:
            values = embedding(padding(inputs))
            for _ in range(self.num_layers):
                values = self._block(values)
            return outputs(values)

        return call

    def _block(self, inputs: Any) -> Any:
        from keras import layers

        attended = layers.Dropout(self.dropout)(self._attention(inputs))
        values = layers.LayerNormalization()(inputs + attended)
        hidden = layers.Dense(WIDENING * self.layer_size, activation="relu")(values)
        changed = layers.Dense(self.layer_size)(hidden)
        changed = layers.Dropout(self.dropout)(changed)
        return layers.LayerNormalization()(values + changed)

    def _attention(self, inputs: Any) -> Any:
        import keras

        from memnets.attention import RelativeAttention

        head_size = self.layer_size // self.num_heads
        if self.positions == "relative":
            return RelativeAttention(self.num_heads, head_size, self.causal)(inputs)
        attention = keras.layers.MultiHeadAttention(
            self.num_heads, head_size, use_bias=False
        )
        return attention(inputs, inputs, use_causal_mask=self.causal)

    @property
    def signature(self) -> str:
        size = f"{self.num_layers}x{self.layer_size}"
        text = f"{self.name}|layers:{size}|heads:{self.num_heads}"
        text += f"|positions:{self.positions}"
        return f"{text}|causal" if self.causal else text
