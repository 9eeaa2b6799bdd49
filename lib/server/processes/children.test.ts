// A start in several processes: what one of them does or suffers, the others survive; and none is left behind.

import { spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { readReadiness, requestWhole } from "../testing/requests";
import {
  bundleService,
  childrenOf,
  cleanUpServices,
  isRunning,
  newDataDir,
  onCleanUp,
  type Running,
  readSandbox,
  startService,
  until,
} from "../testing/service";
import { watchSilence } from "./child";

afterAll(cleanUpServices);

const bundle = bundleService();

interface Divided {
  service: Running;
  dataDir: string;
  baseUrl: string;
  jobs: () => number | undefined;
}

async function start(): Promise<Divided> {
  const dataDir = newDataDir({ prepared: true });
  const service = startService(bundle, { DATA_DIR: dataDir, ROLES: "api,jobs", TEST_DIVIDES_ROLES: "1" });
  const baseUrl = await service.ready;
  return { service, dataDir, baseUrl, jobs: () => childrenOf(service.pid, "child.mjs")[0] };
}

test("a child that is killed is started again, and the API goes on", async () => {
  const { service, dataDir, baseUrl, jobs } = await start();
  const first = jobs() ?? 0;
  expect(first).toBeGreaterThan(0);
  expect((await readReadiness(baseUrl)).checks).toMatchObject({ jobs: true, chains: true });
  process.kill(first, "SIGKILL");
  await until("readiness says so", async () => !(await readReadiness(baseUrl)).checks.jobs);
  // The body says so; the status stays, since requests are answered.
  expect((await readReadiness(baseUrl)).status).toBe(200);
  const { apiKey } = readSandbox(dataDir);
  expect((await requestWhole({ baseUrl, apiKey }, "Hello")).status).toBe(200);
  await until("another runs", async () => (await readReadiness(baseUrl)).checks.jobs === true);
  const second = jobs();
  expect(second).not.toBe(first);
  // Of the jobs' process, and of the API's, in one.
  const counted = [
    /job_seconds_count\{job="number-events",outcome="ok"\} [1-9]/,
    /requests_total\{endpoint="prompt",status="200",code=""\} 1/,
  ];
  await until("both are counted", async () => {
    const metrics = await (await fetch(`${baseUrl}/api/metrics`)).text();
    return counted.every((line) => line.test(metrics));
  });
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(isRunning(second ?? 0)).toBe(false);
});

test("a child that says nothing at six looks is ended; one that speaks is left alone", async () => {
  const open = () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]);
    onCleanUp(() => void child.kill("SIGKILL"));
    return { child, ended: nextEvent(child, "exit") };
  };
  const [silent, speaking] = [open(), open()];
  watchSilence(silent.child, silent.ended, 20);
  const { spoke } = watchSilence(speaking.child, speaking.ended, 20);
  const talk = setInterval(spoke, 5);
  expect(await silent.ended).toEqual([null, "SIGKILL"]);
  expect(isRunning(speaking.child.pid ?? 0)).toBe(true);
  clearInterval(talk);
});

test("a parent that is killed leaves no child", async () => {
  const { service, jobs } = await start();
  const child = jobs() ?? 0;
  service.process.kill("SIGKILL");
  await service.ended;
  await until("it has ended", () => !isRunning(child));
});

test("what a child cannot start with is said once, as the reason of the start", async () => {
  const { service, dataDir } = await start();
  service.process.kill("SIGTERM");
  await service.ended;
  rmSync(`${dataDir}/custody-seed.json`, { force: true });
  const again = startService(bundle, { DATA_DIR: dataDir, ROLES: "api,jobs", TEST_DIVIDES_ROLES: "1" });
  await expect(again.ready).rejects.toThrow();
  expect((await again.ended).code).toBe(1);
  expect(again.output().match(/custody-seed\.json/g)).toHaveLength(1);
});
