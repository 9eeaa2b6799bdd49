// The thread of the heart, with faults that a test sends it.

import { BroadcastChannel, parentPort, workerData } from "node:worker_threads";
import { type HeartOptions, runHeart } from "../heartbeat/heart";

const faults: Record<string, () => void> = {
  throws: () => {
    throw new Error("a fault of the test's");
  },
  hangs: () => {
    for (;;);
  },
  "runs out of memory": () => {
    for (const kept: number[][] = []; ; ) kept.push(new Array(10_000).fill(kept.length));
  },
};

const channel = new BroadcastChannel("faults");
channel.onmessage = ({ data }) => faults[String(data)]?.();
channel.unref();

if (parentPort) runHeart(parentPort, workerData as HeartOptions);
