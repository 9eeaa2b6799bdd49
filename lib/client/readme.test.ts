// The examples of README.md, run as one program against the service itself.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { numberEvents } from "@/lib/events/outbox";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { awaitNothingHeld, expectPaid } from "@/lib/gateway/contract/testing/books";
import { openPayments } from "@/lib/gateway/contract/testing/payments";
import { openService } from "@/lib/gateway/contract/testing/service";

const service = await openService();
const payments = await openPayments();

test("the examples of README.md do what they say", async () => {
  const account = await openAccount();
  const { privateKey, from } = await payments.newPayerWithKey();
  const readme = readFileSync(new URL("./README.md", import.meta.url), "utf8");
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
  expect(examples).toHaveLength(7);
  await numberEvents();
  const { outputFiles } = await build({
    stdin: {
      contents: examples.join("\n").replace("http://localhost:3000", service.url("node")),
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      loader: "ts",
    },
    // Bundling viem would make the program too long for a command-line argument.
    external: ["viem"],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  const program = ["--input-type=module", "--eval", outputFiles[0]?.text ?? ""];
  const env = { ...process.env, PENNYPROMPT_API_KEY: account.key, WALLET_KEY: privateKey.slice(2) };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { env });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Simulated answer/);
  expect(stdout).toContain("maxCost"); // the issue of the prompt whose maxCost is too low
  expect(stdout).toMatch(/^true$/m);
  expect(stdout).toMatch(/^paid 1 cents, 0\.00\d+ USD are left$/m);
  expect(await payments.usdcOf(from)).toBe(99_990_000n);
  expect(stdout).toMatch(/^1 key\.created$/m);
  expect(stdout).toMatch(/^\d+ true charged$/m);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d gpt-4o-mini 3 0\.\d+$/m);
  await awaitNothingHeld();
  await expectPaid(account);
});
