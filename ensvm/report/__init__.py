"""From records to what people read; nothing is run here."""
