from program.trust.store.opening import REDIS_URL, TRACE_URL, open_store
from program.trust.store.protocol import ArtifactSink, HotTier
from program.trust.store.rows import Mark
from program.trust.store.tiered import TraceStore

__all__ = ["REDIS_URL", "TRACE_URL", "ArtifactSink", "HotTier", "Mark", "TraceStore", "open_store"]
