"""Language models: backbones, the compact adapter, the session meter and `ask`."""
