"""The experiments on which the LSTM was argued: what matters lies far back."""
