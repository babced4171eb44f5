"""Is an engine a correct one of its protocol? Named steps, each with what was sent and what came back."""
