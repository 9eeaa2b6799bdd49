// What an operator watches: metrics for authorized readers, with bounded labels; and a log of JSON lines that names every request
// and no secret, from the first start to the last refusal.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/db/testing/test-database";
import { readReadiness, requestStream, requestWhole, type Target } from "./testing/requests";
import {
  bundleService,
  cleanUpServices,
  logLines,
  newDataDir,
  onCleanUp,
  type Running,
  readSandbox,
  startService,
} from "./testing/service";

const secret = () => randomBytes(24).toString("hex");
const secrets = { KEY_PEPPER: secret(), SESSION_SECRET: secret(), METRICS_TOKEN: secret(), XAI_API_KEY: secret() };
const promptText = `The prompt ${secret()} is nobody's business.`;

let bundle: string;
let database: TestDatabase;
let dataDir: string;
let service: Running;
let target: Target;

beforeAll(async () => {
  bundle = bundleService();
  database = await createTestDatabase();
  onCleanUp(() => database.drop());
  dataDir = newDataDir();
  // One provider is real and unreachable: its key is sent and its failures are logged.
  const settings = { SANDBOX_REAL_MODELS: "1", XAI_BASE_URL: "http://127.0.0.1:1", PROVIDER_RETRIES: "0", ...secrets };
  service = startService(bundle, { DATA_DIR: dataDir, DATABASE_URL: database.url, ...settings });
  await service.ready;
  target = readSandbox(dataDir);
});
afterAll(cleanUpServices);

const readMetrics = (headers: Record<string, string> = {}) => fetch(`${target.baseUrl}/api/metrics`, { headers });

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads Prometheus text: every line is a comment or a sample of an announced family. */
function parseMetrics(text: string): { types: Map<string, string>; samples: Sample[] } {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n").filter(Boolean)) {
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed && type) types.set(typed, type);
    if (line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    expect(name, line).not.toBe("");
    expect(value, line).toMatch(/^(-?\d+(\.\d+)?(e[+-]\d+)?|\+Inf)$/);
    samples.push({
      name,
      labels: Object.fromEntries([...labels.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
      value: Number(value),
    });
  }
  return { types, samples };
}

const documented = {
  pennyprompt_requests_total: "counter",
  pennyprompt_request_seconds: "histogram",
  pennyprompt_gateway_seconds: "histogram",
  pennyprompt_heartbeat_restarts_total: "counter",
  pennyprompt_requests_in_flight: "gauge",
  pennyprompt_charged_nano_usd_total: "counter",
  pennyprompt_operator_loss_nano_usd_total: "counter",
  pennyprompt_overruns_total: "counter",
  pennyprompt_paused_streams_total: "counter",
  pennyprompt_provider_calls_total: "counter",
  pennyprompt_provider_seconds: "histogram",
  pennyprompt_provider_circuit_open: "gauge",
  pennyprompt_provider_model_circuit_open: "gauge",
  pennyprompt_provider_other_tier_total: "counter",
  pennyprompt_provider_zero_counts_total: "counter",
  pennyprompt_unknown_calls_total: "counter",
  pennyprompt_estimated_charges_total: "counter",
  pennyprompt_unbilled_nano_usd_total: "counter",
  pennyprompt_clock_offset_ms: "gauge",
  pennyprompt_holds_expired_total: "counter",
  pennyprompt_lost_answers_total: "counter",
  pennyprompt_node_disagreements_total: "counter",
  pennyprompt_ledger_batch_items: "histogram",
  pennyprompt_ledger_batch_seconds: "histogram",
  pennyprompt_ledger_violations: "gauge",
  pennyprompt_address_pool_free: "gauge",
  pennyprompt_audit_entries: "gauge",
  pennyprompt_wallets_refused_total: "counter",
  pennyprompt_watch_rounds_total: "counter",
  pennyprompt_watch_head_lag_blocks: "gauge",
  pennyprompt_watch_reorg_blocks: "histogram",
  pennyprompt_deposits: "gauge",
  pennyprompt_event_loop_delay_seconds: "histogram",
  pennyprompt_withdrawals_open: "gauge",
  pennyprompt_swept_nano_usd_total: "counter",
  pennyprompt_sweeps_waiting: "gauge",
  pennyprompt_payments_total: "counter",
  pennyprompt_payment_transactions_failed_total: "counter",
  pennyprompt_payments_limited_total: "counter",
  pennyprompt_payment_seconds: "histogram",
  pennyprompt_relay_waiting: "gauge",
  pennyprompt_relay_oldest_seconds: "gauge",
  pennyprompt_relay_stopped: "gauge",
  pennyprompt_relayer_eth: "gauge",
  pennyprompt_fee_payer_lamports: "gauge",
  pennyprompt_sponsor_lamports: "gauge",
  pennyprompt_reserves_owed_nano_usd: "gauge",
  pennyprompt_reserves_held_nano_usd: "gauge",
  pennyprompt_reserves_surplus_nano_usd: "gauge",
  pennyprompt_reserves_unknown: "gauge",
  pennyprompt_reserves_reported_timestamp_seconds: "gauge",
  pennyprompt_sign_ups_in_an_hour: "gauge",
  pennyprompt_sign_ups_total: "counter",
  pennyprompt_limited_total: "counter",
  pennyprompt_limits_process_local: "gauge",
  pennyprompt_job_seconds: "histogram",
};

test("metrics are served to this machine, or to a client with METRICS_TOKEN", async () => {
  const throughProxy = { "x-forwarded-for": "198.51.100.7" };
  expect((await readMetrics()).status).toBe(200);
  expect((await readMetrics(throughProxy)).status).toBe(404);
  expect((await readMetrics({ forwarded: "for=198.51.100.7" })).status).toBe(404);
  // A page of another site whose name leads here; fetch sends no other Host.
  const named = request(`${target.baseUrl}/api/metrics`, { headers: { host: "rebound.example" } }).end();
  expect(((await once(named, "response")) as [IncomingMessage])[0].statusCode).toBe(404);
  expect((await readMetrics({ ...throughProxy, authorization: `Bearer ${secrets.METRICS_TOKEN}` })).status).toBe(200);
  expect((await readMetrics({ ...throughProxy, authorization: `Bearer ${secret()}` })).status).toBe(404);
});

test("metrics are Prometheus text with the documented names, and count what happened", async () => {
  expect((await requestWhole(target, promptText)).status).toBe(200);
  const response = await readMetrics();
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const { types, samples } = parseMetrics(await response.text());
  expect(Object.fromEntries(types)).toEqual(documented);
  const value = (name: string, labels: Record<string, string> = {}) =>
    samples.find((sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text))?.value;
  expect(value("pennyprompt_requests_total", { endpoint: "prompt", status: "200" })).toBe(1);
  expect(value("pennyprompt_charged_nano_usd_total", { model: "gpt-4-turbo" })).toBeGreaterThan(0);
  expect(value("pennyprompt_provider_calls_total", { provider: "openai", outcome: "ok" })).toBe(1);
  expect(value("pennyprompt_ledger_violations")).toBe(0);
  expect(value("pennyprompt_requests_in_flight")).toBe(1); // this one
});

test("whatever is requested, labels come from fixed lists", async () => {
  const strange = `x${secret()}`;
  await Promise.all([
    fetch(`${target.baseUrl}/api/v1/${strange}`),
    fetch(`${target.baseUrl}/api/v1/prompt`, { method: "PROPFIND" }),
    requestWhole({ ...target, apiKey: strange }, "Who am I?"),
    requestWhole(target, "Which model?", { model: strange }),
    requestWhole(target, "Who fails? [[simulate: status=503]]"),
    requestWhole(target, "Who is away?", { model: "grok-4.20" }),
  ]);
  const text = await (await readMetrics()).text();
  expect(text).not.toContain(strange);
  const { samples } = parseMetrics(text);
  const seen = (name: string) => [...new Set(samples.flatMap(({ labels }) => labels[name] ?? []))];
  expect(seen("endpoint").sort()).toEqual(expect.arrayContaining(["metrics", "prompt", "unknown"]));
  for (const name of seen("endpoint")) expect(name).toMatch(/^(prompt|models|balance|health|ready|metrics|unknown|draining)$/);
  for (const code of seen("code")) expect(code).toMatch(/^[A-Z_]*$/);
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
  const known = ["chain", "code", "endpoint", "job", "le", "model", "operation", "outcome", "provider", "state", "status"];
  for (const name of known) expect(names).toContain(name);
  // A busy machine may also have run out of addresses for a moment, or waited with a sweep.
  expect([...names].filter((name) => name !== "reason" && !known.includes(name))).toEqual([]);
  for (const reason of seen("reason")) expect(reason).toMatch(/^[a-z_]+$/);
});

test("the log is JSON lines that name each request, and holds no key, prompt, password or pepper, failures included", async () => {
  const whole = await requestWhole(target, promptText);
  await (await requestStream(target, promptText)).rest;
  const failed = await requestWhole(target, promptText, { model: "grok-4.20" });
  expect(failed.status).toBe(500);
  await requestWhole(target, promptText, { maxTokens: "many" });
  expect((await readReadiness(target.baseUrl)).status).toBe(200);
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });

  const lines = logLines(service.output());
  for (const line of lines)
    expect(line).toMatchObject({
      level: expect.any(Number) as number,
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      msg: expect.any(String) as string,
    });
  const answered = new Map(lines.filter(({ msg }) => msg === "answered").map((line) => [line.requestId, line]));
  expect(answered.get(whole.body.requestId)).toMatchObject({ endpoint: "prompt", status: 200, model: "gpt-4-turbo", provider: "openai" });
  expect(answered.get(failed.body.requestId)).toMatchObject({ status: 500, code: "INTERNAL_ERROR" });

  const refused = startService(bundle, {
    DATA_DIR: dataDir,
    LOG_LEVEL: "trace",
    DATABASE_URL: database.url.replace(/:\/\/([^:]+):[^@]+@/, `://$1:${secret()}@`),
    ...secrets,
  });
  expect(await refused.ended).toEqual({ code: 1, signal: null });

  const output = service.output() + refused.output();
  const curl = output.split("\n").filter((line) => line.startsWith("curl "));
  expect(curl).toHaveLength(1);
  const logged = output.replace(curl[0] ?? "", "");
  const { password } = new URL(database.url);
  for (const hidden of [...Object.values(secrets), password, target.apiKey, promptText]) expect(logged).not.toContain(hidden);
});
