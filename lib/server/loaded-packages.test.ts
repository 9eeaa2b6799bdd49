// Which packages the service loads: only those that its settings need. V8's coverage names every script that a process ran.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestWhole } from "./testing/requests";
import { bundleService, cleanUpServices, newDataDir, readSandbox, startService } from "./testing/service";

let bundle: string;
let dataDir: string;
beforeAll(() => {
  bundle = bundleService({ packages: "outside" });
  dataDir = newDataDir({ prepared: true });
});
afterAll(cleanUpServices);

/** Names of the packages that a service has loaded after it started, answered a prompt and stopped. */
async function packagesLoaded(settings: Record<string, string>): Promise<Set<string>> {
  const coverage = mkdtempSync(join(dataDir, "coverage-"));
  const service = startService(bundle, { DATA_DIR: dataDir, NODE_V8_COVERAGE: coverage, ...settings });
  await service.ready;
  expect((await requestWhole(readSandbox(dataDir), "What do you load?")).status).toBe(200);
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
  const reports = readdirSync(coverage).map((file) => JSON.parse(readFileSync(join(coverage, file), "utf8")) as Coverage);
  return new Set(reports.flatMap(({ result }) => result.flatMap(({ url }) => /\/node_modules\/((@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])));
}

interface Coverage {
  result: { url: string }[];
}

test("a service without REDIS_URL never loads ioredis, nor one without mails nodemailer; one with REDIS_URL loads it", async () => {
  const without = await packagesLoaded({ MAIL_FROM: "alerts@example.com", SMTP_URL: "smtp://127.0.0.1:1" });
  expect(without).toContain("pg");
  expect(without).not.toContain("ioredis");
  expect(without).not.toContain("nodemailer");
  expect(await packagesLoaded({ REDIS_URL: "redis://127.0.0.1:1" })).toContain("ioredis");
});
