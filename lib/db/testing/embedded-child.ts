// A process that owns an embedded database and takes orders on standard input: `stop` stops the database and ends, `exit` ends without
// stopping it. Tests kill it, run it as another user, and run it twice. Its first line of output is a ChildReport.

import { startEmbeddedPostgres } from "../embedded";

export type ChildReport = { url: string; pid: number; log: string[] } | { error: string };

const [dataDir = "", durable] = process.argv.slice(2);
const report = (line: ChildReport) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const log: string[] = [];
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (message) => log.push(message),
    settings: durable === "durable" ? {} : { fsync: "off" },
  });
  report({ url: server.url, pid: server.pid, log });
  const orders = process.stdin.setEncoding("utf8");
  orders.on("end", () => process.exit(0)); // the test is gone
  orders.on("data", async (order: string) => {
    orders.removeAllListeners("end");
    if (order.trim() === "stop") await server.stop();
    process.exit(0);
  });
} catch (error) {
  report({ error: (error as Error).message });
  process.exitCode = 1;
}
