"""adapter.games.chess."""
