"""The language: nodes, the builder, the text form, the checker and the renderings."""
