// The thread that counts tokens: a bundle of its own, which loads the tokenizers and nothing of the gateway.

import { parentPort } from "node:worker_threads";
import { assert } from "@/lib/base/assert";
import { serveCounts } from "./counting-thread";

assert(parentPort !== null, "the counting thread is started by the token counter");
serveCounts(parentPort);
