// The operator in the audit log: commands and starts say who and where, and `npm run audit` walks the chain.

import { spawnSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainEntries, readHead } from "@/lib/audit/chain";
import { leftBy } from "@/lib/audit/testing/left-by";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openSecrets } from "@/lib/sandbox/secrets";
import { type Outcome, runCommand } from "../testing/command";
import { bundleService, cleanUpServices, newDataDir } from "../testing/service";
import { main } from "./command";
import { recordStart } from "./operator";

const database = await openTestDatabase();
let [root, dataDir] = ["", ""];
beforeAll(() => {
  dataDir = newDataDir();
  openSecrets(dataDir); // with the key that approves withdrawals of a sandbox
  root = newDataDir();
  for (const file of ["command.mjs", "launch/process.mjs"]) cpSync(join("lib/server", file), join(root, "lib/server", file));
  symlinkSync(bundleService(), join(root, "dist"));
});
afterAll(cleanUpServices);

const operator = { user: userInfo().username, host: hostname() };

const environment = () => ({
  PATH: process.env.PATH,
  NODE_ENV: "production" as const,
  DATABASE_URL: database.url,
  DATA_DIR: dataDir,
  LOG_LEVEL: "silent",
});

/** As the operator starts it. */
function start(name: "audit" | "withdrawals", ...words: string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "lib/server/command.mjs"), name, ...words], {
    encoding: "utf8",
    env: environment(),
  });
  return { code: status, output: stdout + stderr };
}

const run = (...words: string[]): Promise<Outcome> => runCommand(main, words, { environment: environment() });

test("a start says which process, of whom, and whether its pepper is another one; never the pepper", async () => {
  const started = async (secret: string) => {
    setSandboxPepper(secret);
    return leftBy(() => recordStart({ ROLES: ["api", "pages", "jobs"], MODE: "live" }));
  };
  const [first, same, other] = [
    await started("a pepper of more than 32 characters, the first"),
    await started("a pepper of more than 32 characters, the first"),
    await started("a pepper of more than 32 characters, the second"),
  ];
  expect(first).toMatchObject([
    {
      kind: "process.started",
      account_id: null,
      actor: { kind: "process", ...operator },
      after: { roles: ["api", "pages", "jobs"], mode: "live", version: "1.0.0", node: process.version, pid: process.pid },
    },
  ]);
  expect(same.map(({ kind }) => kind)).toEqual(["process.started"]);
  expect(other.map(({ kind }) => kind)).toEqual(["process.started", "pepper.changed"]);
  expect(other[1]?.before).toEqual({ pepper: first[0]?.after?.pepper });
  expect(JSON.stringify([first, same, other])).not.toContain("more than 32");
});

test("an operator's decision says the command, the operating system's user and the machine", async () => {
  const id = `wd_${"7".repeat(20)}`;
  await pool().query(
    `INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
       signer_address, signature, state, requested_at)
     VALUES ($1, 'acc_one', 'base', '0x00000000000000000000000000000000000000cc', 1000000, 0, false, 'AAAAAAAAAAAAAAAAAAAAAA', now(), now() + interval '1 hour',
       'evm', '0x00000000000000000000000000000000000000cc', 'signature', 'awaiting_approval', now())`,
    [id],
  );
  const left = await leftBy(async () => expect(start("withdrawals", "approve", id, "--yes")).toMatchObject({ code: 0 }));
  expect(left).toMatchObject([
    { kind: "withdrawal.approved", subject: id, actor: { kind: "command", command: "withdrawals approve", ...operator } },
  ]);
  expect(await leftBy(async () => start("withdrawals", "list"))).toEqual([]);
});

test("verify walks the chain, prints its head, and says where it is broken; list prints the newest entries", async () => {
  await chainEntries();
  const { sequence, digest } = await readHead();
  const head = `${sequence}:${digest}`;
  expect(start("audit", "verify")).toEqual({
    code: 0,
    output: `The audit log holds: ${sequence} entries, each as it was chained.\nKeep its head outside of this database: ${head}\n`,
  });
  expect(await run("verify", head)).toMatchObject({ code: 0 });
  expect(await run("verify", `${sequence}:${"0".repeat(64)}`)).toEqual({
    code: 1,
    output: `The audit log is broken: the chain up to entry ${sequence} was written anew.\n`,
  });
  expect((await run("list")).output).toMatch(
    /withdrawal\.approved {2}acc_one {2}wd_7+ {2}\{.*"kind":"command".*\} {2}.* -> \{"state":"approved"\}\n$/,
  );
  expect(await run("list", "acc_two")).toEqual({ code: 0, output: "" });
  await pool().query("ALTER TABLE audit_entry DISABLE TRIGGER USER");
  await pool().query("UPDATE audit_entry SET subject = 'another' WHERE sequence = 2");
  expect(await run("verify")).toMatchObject({ code: 1, output: expect.stringMatching(/broken: entry 2 .*\. The entries before 2 are/) });
});

test.each([[[]], [["check"]], [["verify", "7"]], [["verify", "7:abc"]], [["list", "one", "two"]]])("%j prints the usage", async (words) => {
  expect(await run(...words)).toMatchObject({ code: 1, output: expect.stringContaining("npm run audit -- verify") });
});
