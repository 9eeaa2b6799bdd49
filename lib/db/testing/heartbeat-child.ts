// A process with a heartbeat. Each line of its output is a HeartbeatReport; each line of its input an order: `stop`, or `block MS`, which
// blocks the main thread. It ends when its standard input does.

import { createInterface } from "node:readline";
import { setDatabaseUrl } from "../database-url";
import { type HeartbeatOptions, processId, startHeartbeat } from "../heartbeat";
import { processFence } from "../heartbeat/fence";

/** What the main thread finds after it was blocked: whether it may still write what it had begun to write before. */
export interface Wake {
  mayWrite: boolean;
  isFresh: boolean;
}

export type HeartbeatReport = { started: string } | { dead: string } | { woke: Wake };

const [url = "", times = "{}"] = process.argv.slice(2);
const report = (line: HeartbeatReport) => process.stdout.write(`${JSON.stringify(line)}\n`);

setDatabaseUrl(url);
const heartbeat = await startHeartbeat({
  ...(JSON.parse(times) as Partial<HeartbeatOptions>),
  roles: ["web", "jobs"],
  onDead: async ({ id }) => {
    report({ dead: id });
  },
});
createInterface(process.stdin)
  .on("close", () => process.exit(0)) // the test is gone
  .on("line", async (order) => {
    if (order.startsWith("block ")) return block(Number(order.split(" ")[1]));
    await heartbeat.stop();
    process.exit(0);
  });
report({ started: processId() });

function block(ms: number): void {
  const fence = processFence();
  const { number } = fence;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  report({ woke: { mayWrite: fence.mayWrite(number), isFresh: fence.isFresh() } });
}
