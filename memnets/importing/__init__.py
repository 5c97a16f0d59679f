"""How names of this package are imported: `tasks` and `metrics` beside it
(`companions`), modules under their earlier names (`moved`), and the layers together
with Keras (`registration`)."""
