"""What fenwire answered before its redesign, recorded, and the test that it still answers the same."""
