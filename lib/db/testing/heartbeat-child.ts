// A process with a heartbeat. Each line of its output is a HeartbeatReport. It stops in order on `stop`, and ends when its standard input
// does.

import { setDatabaseUrl } from "../database-url";
import { type HeartbeatOptions, processId, startHeartbeat } from "../heartbeat";

export type HeartbeatReport = { started: string } | { dead: string };

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
process.stdin.on("end", () => process.exit(0)); // the test is gone
process.stdin.setEncoding("utf8").on("data", async () => {
  await heartbeat.stop();
  process.exit(0);
});
report({ started: processId() });
