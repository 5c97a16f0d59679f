"""Pictures of a few simple shapes, with captions whose truth can be checked."""
