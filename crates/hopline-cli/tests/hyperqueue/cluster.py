"""A HyperQueue server with a worker of two cores, until it is killed: cluster.py SERVER_DIR."""

import sys
import time

from hyperqueue.cluster import LocalCluster, WorkerConfig

cluster = LocalCluster(sys.argv[1], WorkerConfig(cores=2))
print("ready", flush=True)
while True:
    time.sleep(60)
