"""The fifteen tasks of Delétang et al. (2023), from the regular to the
context-sensitive."""

from ...contract.task import Task
from .binary_addition import BinaryAddition as BinaryAddition
from .binary_multiplication import BinaryMultiplication as BinaryMultiplication
from .bucket_sort import BucketSort as BucketSort
from .compute_sqrt import ComputeSqrt as ComputeSqrt
from .cycle_navigation import CycleNavigation as CycleNavigation
from .duplicate_string import DuplicateString as DuplicateString
from .even_pairs import EvenPairs as EvenPairs
from .missing_duplicate import MissingDuplicate as MissingDuplicate
from .modular_arithmetic import ModularArithmetic as ModularArithmetic
from .modular_arithmetic_simple import (
    ModularArithmeticSimple as ModularArithmeticSimple,
)
from .odds_first import OddsFirst as OddsFirst
from .parity_check import ParityCheck as ParityCheck
from .reverse_string import ReverseString as ReverseString
from .solve_equation import SolveEquation as SolveEquation
from .stack_manipulation import StackManipulation as StackManipulation

# In the order of the paper's table.
LANGUAGES: tuple[type[Task], ...] = (
    EvenPairs,
    ModularArithmeticSimple,
    ParityCheck,
    CycleNavigation,
    StackManipulation,
    ReverseString,
    ModularArithmetic,
    SolveEquation,
    DuplicateString,
    MissingDuplicate,
    OddsFirst,
    BinaryAddition,
    BinaryMultiplication,
    ComputeSqrt,
    BucketSort,
)
