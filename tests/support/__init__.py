"""What tests share: trees on disk, stores made from them, and processes that can be stopped or killed."""
