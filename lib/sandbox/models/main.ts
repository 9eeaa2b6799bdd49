// The child process of the simulated models. It writes one line of JSON when it listens, `{"port", "apiKey"}`, and ends when its standard
// input does: when its parent stops it or dies. It has few imports, since it starts with every sandbox.

import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { randomBase62 } from "@/lib/base/ids";
import { createSimulatedServer } from "./server";

const { values } = parseArgs({
  options: {
    "delta-delay-ms": { type: "string", default: "20" },
  },
});

// Created here and passed over a pipe, so that neither the environment nor the command line shows it.
const apiKey = `sk-simulated-${randomBase62(32)}`;
const server = createSimulatedServer({ apiKey, deltaDelayMs: Number(values["delta-delay-ms"]) });

process.stdin.once("close", () => process.exit(0)).resume();

server.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port, apiKey })}\n`);
});
