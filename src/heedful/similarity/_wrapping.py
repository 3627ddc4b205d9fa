"""What similarities share that are another one with a mask or a kernel."""

import copy
from typing import Any

from heedful.similarity._protocol import Similarity


class WrappingSimilarity(Similarity):
    """A similarity around another one, which provides everything that is not overridden.

    A subclass keeps the one to fit as ``similarity``, and the fitted one as ``similarity_``.
    """

    similarity: Any
    similarity_: Similarity

    def seeded(self, n_jobs, random_state):
        """Return a copy whose other similarity has jobs and seed."""
        other = copy.copy(self)
        other.similarity = self.similarity.seeded(n_jobs, random_state)
        return other

    @property
    def target(self) -> str:
        """What the other similarity is fitted to."""
        # a name such as "forest" has none until an estimator has resolved it
        return getattr(self.similarity, "target", "response")

    @property
    def takes(self) -> str:
        """What the other similarity takes."""
        return self.similarity.takes

    @property
    def weightings(self) -> tuple[str, ...]:
        """Ways to weigh without a temperature."""
        return self.similarity.weightings

    @property
    def temperatures_(self) -> tuple[float, ...]:
        """Temperatures to try."""
        return self.similarity_.temperatures_

    @property
    def keeps_rows(self) -> bool:
        """Whether the other similarity knows the training rows by their position."""
        return self.similarity.keeps_rows

    @property
    def leaves_out(self) -> bool:
        """Whether the other similarity can score training rows as if they were new."""
        return self.similarity_.leaves_out
