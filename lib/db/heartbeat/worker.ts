// The thread of the heart: a bundle of its own, which loads the database's driver and nothing of the gateway.

import { parentPort, workerData } from "node:worker_threads";
import { assert } from "@/lib/base/assert";
import { type HeartOptions, runHeart } from "./heart";

assert(parentPort !== null, "the heart's thread is started by the heart's keeper");
runHeart(parentPort, workerData as HeartOptions);
