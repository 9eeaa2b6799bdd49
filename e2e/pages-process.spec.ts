// The process of the pages, killed in the middle: the API goes on, a browser waits for its page and gets it, and nothing is left behind.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test"; // the others' watch allows only the service that they share
import { type StartedService, startService } from "./start-service";

let service: StartedService;
test.beforeAll(async () => {
  service = await startService();
});
test.afterAll(() => service.stop());

/** Process ids of the running children whose command line names this program. */
function childrenOf(pid: number, program: string): number[] {
  const lines = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const found = lines.filter((line) => line.includes(program)).map((line) => line.trim().split(/\s+/));
  return found.filter(([, parent]) => Number(parent) === pid).map(([own]) => Number(own));
}

test("while the pages start again the API answers, and a page that was asked for meanwhile comes by itself", async ({ page }) => {
  const { baseUrl, dataDir, pid } = service;
  const { apiKey } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as { apiKey: string };
  const prompt = async () => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "gpt-4-turbo", prompt: "Are you there?" });
    return (await fetch(`${baseUrl}/api/v1/prompt`, { method: "POST", headers, body })).status;
  };
  const isReported = async () => {
    const answer = await fetch(`${baseUrl}/api/ready`);
    return { status: answer.status, pages: ((await answer.json()) as { checks: { pages: boolean } }).checks.pages };
  };
  await page.goto(`${baseUrl}/docs`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Quick start");
  const [first] = childrenOf(pid, "child.mjs");
  process.kill(first ?? 0, "SIGKILL");
  await expect.poll(isReported).toEqual({ status: 200, pages: false });
  expect(await prompt()).toBe(200);
  await page.goto(`${baseUrl}/models`);
  await expect(page.getByText("The API is not affected")).toBeVisible();
  expect(await prompt()).toBe(200);
  // The page loads itself again until it is there.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Models and prices", { timeout: 30_000 });
  await expect.poll(isReported).toEqual({ status: 200, pages: true });
  expect(childrenOf(pid, "child.mjs")).not.toContain(first);
});
