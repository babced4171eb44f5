"""adapter.games.xiangqi."""
