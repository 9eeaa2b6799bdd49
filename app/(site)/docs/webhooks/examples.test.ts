// The receivers of the page, run unchanged: they take what the service sends, once, and refuse what it did not send.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, expect, test } from "vitest";
import { newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listDeliveries, resendDelivery } from "@/lib/events/deliveries";
import { deliverDue, happen, openEndpoint } from "@/lib/events/testing/endpoints";
import type { CodeExample } from "../code-examples";
import { receivers } from "./examples";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pennyprompt-receivers-"));
cpSync(join(root, "lib/client"), join(folder, "pennyprompt"), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let receiver: ChildProcess | undefined;
afterEach(() => receiver?.kill("SIGKILL"));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts the example; what it prints is gathered. */
async function start({ runs, code }: CodeExample, env: Record<string, string>): Promise<() => string> {
  const options = { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] as ["ignore", "pipe", "inherit"] };
  if (runs === "node") {
    writeFileSync(join(folder, "receiver.ts"), code);
    const outfile = join(folder, "receiver.mjs");
    await build({ entryPoints: [join(folder, "receiver.ts")], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" });
    receiver = spawn(process.execPath, [outfile], options);
  } else receiver = spawn("python3", ["-c", code], { ...options, stdio: ["ignore", "pipe", "ignore"] });
  let printed = "";
  receiver.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return () => printed;
}

const isListening = (url: string) =>
  fetch(url, { method: "PUT" }).then(
    () => true,
    () => false,
  );

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

for (const example of receivers) {
  test.skipIf(example.runs === "python" && !hasPython())(`${example.title} takes our webhooks, once, and nobody else's`, async () => {
    const account = newAccountId();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { secret } = await openEndpoint(account, url);
    const printed = await start(example, { PORT: String(port), PENNYPROMPT_WEBHOOK_SECRET: secret });
    await expect.poll(() => isListening(url), { timeout: 20_000 }).toBe(true);
    await happen(account, ["0xa", "0xb"]);
    await deliverDue();
    const [last] = await listDeliveries(account, { limit: 10 });
    await resendDelivery(account, last?.id ?? "");
    await deliverDue();
    const found = await listDeliveries(account, { limit: 10 });
    expect(found.map(({ state, tries }) => [state, tries.map(({ status }) => status)])).toEqual([
      ["delivered", [204, 204]],
      ["delivered", [204]],
    ]);
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
      "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`,
    };
    expect((await fetch(url, { method: "POST", headers, body: found[0]?.body ?? "" })).status).toBe(400);
    await expect.poll(() => printed().trim().split("\n").length).toBe(2);
    expect(printed()).toMatch(/^1 wallet\.linked .*0xa.*\n2 wallet\.linked .*0xb/);
  });
}
