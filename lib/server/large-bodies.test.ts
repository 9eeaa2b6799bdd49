// Uploads of 20 MiB at once, to the service as a process of its own: all are answered, and its memory stays small. A sample here; LONG=1
// sends fifty.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterAll, expect, test } from "vitest";
import { MAX_UPLOADS_RSS_MIB } from "@/lib/tidy/limits";
import { bundleService, cleanUpServices, newDataDir, readSandbox, startService } from "./testing/service";

afterAll(cleanUpServices);

const MIB = 1_048_576;
const count = process.env.LONG ? 50 : 6;

/** A chat completion whose image makes it this long; the same bytes for every request. */
function bodyOf(bytes: number): Buffer {
  const image = Buffer.alloc(Math.floor((bytes * 3) / 4 / 3) * 3, 7);
  image.write("89504e470d0a1a0a0000000d49484452000000640000006408060000", "hex");
  const parts = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${image.toString("base64")}` } },
  ];
  return Buffer.from(JSON.stringify({ model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: parts }] }));
}

function upload(baseUrl: string, apiKey: string, body: Buffer): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "content-length": body.length };
    const sent = request(`${baseUrl}/api/v1/chat/completions`, { method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The most memory that a process has had, in MiB. */
function peakRssMib(pid: number): number {
  if (process.platform !== "linux") return Number(execFileSync("ps", ["-o", "rss=", "-p", `${pid}`], { encoding: "utf8" })) / 1_024;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

test(`${count} uploads of 20 MiB at once are answered, under ${MAX_UPLOADS_RSS_MIB} MiB of memory`, { timeout: 300_000 }, async () => {
  const dataDir = newDataDir({ prepared: true });
  const settings = { DATA_DIR: dataDir, ROLES: "web", CONCURRENCY_LIMIT: "100", RATE_LIMIT_PER_MINUTE: "1000" };
  const service = startService(bundleService(), settings);
  await service.ready;
  const { baseUrl, apiKey } = readSandbox(dataDir);
  const body = bodyOf(20 * MIB);
  const answers = await Promise.all(Array.from({ length: count }, () => upload(baseUrl, apiKey, body)));
  for (const { status, text } of answers) expect(status, text.slice(0, 500)).toBe(200);
  const peak = peakRssMib(service.pid);
  process.stdout.write(`${count} uploads: at most ${Math.round(peak)} MiB\n`);
  expect(peak).toBeLessThan(MAX_UPLOADS_RSS_MIB);
});
