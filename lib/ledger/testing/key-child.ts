// A process that keeps keys in memory, like another instance of the service. Each line of its standard input is a key in clear text; each
// answer reports whether the key may be used, and whether it was known without a database read.

import { createInterface } from "node:readline";
import { authenticateKey } from "@/lib/access/authenticate";
import type { KeyRecord } from "@/lib/access/find-key";
import { digestKey, peekKey, startKeyCache } from "@/lib/access/key-cache";
import { setSandboxPepper } from "@/lib/base/pepper";
import { setDatabaseUrl } from "@/lib/db/database-url";

export interface KeyAnswer {
  refused: string | null;
  known: boolean;
  key: KeyRecord | null;
}

setDatabaseUrl(process.argv[2] ?? "");
setSandboxPepper(process.argv[3] ?? "");
await startKeyCache();

const answer = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
const orders = createInterface(process.stdin);
orders.on("line", async (line) => {
  const clear = JSON.parse(line) as string;
  const known = peekKey(digestKey(clear)) !== undefined;
  const result = await authenticateKey(clear);
  answer({ known, refused: result.ok ? null : result.reason, key: result.ok ? result.key : null } satisfies KeyAnswer);
});
orders.on("close", () => process.exit(0)); // the test is gone
answer("ready");
