"""What MLflow runs to load an exported model; it is copied into the model's folder, so it only names the class."""

import mlflow.models

from experiments.mlflow_model import BundleModel

mlflow.models.set_model(BundleModel())
