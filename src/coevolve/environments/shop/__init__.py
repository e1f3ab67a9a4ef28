"""An online shop's customer service: a world with an end state that can be checked."""

from coevolve.environments.shop.shop import Shop

__all__ = ["Shop"]
