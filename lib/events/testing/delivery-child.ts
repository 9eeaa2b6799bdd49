// A process with the jobs role that does nothing but deliver; its arguments are the database and the pepper. It reports its process id.

import { setSandboxPepper } from "@/lib/base/pepper";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { processId, startHeartbeat } from "@/lib/db/heartbeat";
import { startJobs } from "@/lib/jobs/scheduler";
import { freeEndpointsOf } from "../delivery/claims";
import { deliverEvents, endDelivery } from "../delivery/serve";
import { numberEvents } from "../outbox";

setDatabaseUrl(process.argv[2] ?? "");
setSandboxPepper(process.argv[3] ?? "");
await startHeartbeat({ roles: ["jobs"], onDead: freeEndpointsOf });
startJobs([
  { name: "number-events", pauseMs: 100, run: numberEvents },
  { name: "deliver-events", pauseMs: 250, run: deliverEvents, end: endDelivery },
]);
process.stdin.resume().on("end", () => process.exit(0)); // the test is gone
process.stdout.write(`${JSON.stringify(processId())}\n`);
