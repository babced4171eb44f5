"""Test suites for engines: positions with known answers, asked, judged, compared and reported."""
