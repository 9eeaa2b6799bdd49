// Liveness, readiness and metrics, for whoever runs the service.

import { timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import { pool } from "@/lib/db/pool";
import { isDraining } from "./drain";
import { endpoint } from "./endpoint";
import type { GatewayRequest } from "./request";
import { jsonReply } from "./respond";

/** The process is alive and its event loop turns. */
export const health = endpoint("health", async (request) => jsonReply(request, 200, writeJson({ status: "ok" })));

const workers = () => once("readiness workers", () => new Map<string, () => boolean>());

/** Since when what was found wrong has been so, Unix milliseconds; as far as somebody asked. */
const wrongSince = () => once("wrong since", () => new Map<string, number>());

function noteWellness(name: string, isWell: boolean): Date | null {
  if (isWell) wrongSince().delete(name);
  else if (!wrongSince().has(name)) wrongSince().set(name, nowMs());
  const since = wrongSince().get(name);
  return since === undefined ? null : new Date(since);
}

export interface Check {
  name: string;
  isWell: boolean;
  /** Since when it has not been, as far as somebody asked; null when it is. */
  wrongSince: Date | null;
  /** How long it took to find out, where that says something. */
  ms?: number;
}

/** Whether this process can serve, part by part: accepting, database, then the workers. */
export async function runChecks(): Promise<Check[]> {
  const check = (name: string, isWell: boolean): Check => ({ name, isWell, wrongSince: noteWellness(name, isWell) });
  const startedAt = performance.now();
  const database = check("database", await databaseAnswers());
  database.ms = performance.now() - startedAt;
  return [check("accepting", !isDraining()), database, ...[...workers()].map(([name, isWell]) => check(name, isWell()))];
}

/** Adds a worker to readiness: `isWell` says whether it does its work at present. */
export function reportReadiness(name: string, isWell: () => boolean): void {
  workers().set(name, isWell);
}

/** 200 when new requests may be sent here: the database answers, the workers run, and no shutdown is under way. */
export const ready = endpoint("ready", async (request) => {
  const checks = Object.fromEntries((await runChecks()).map(({ name, isWell }) => [name, isWell]));
  const isReady = Object.values(checks).every(Boolean);
  return jsonReply(request, isReady ? 200 : 503, writeJson({ status: isReady ? "ready" : "not ready", checks }));
});

/** A balancer asks every few seconds and does not wait: a database that takes longer is not there for customers either. */
const DATABASE_ANSWERS_WITHIN_MS = 2_000;

async function databaseAnswers(): Promise<boolean> {
  try {
    const answer = pool()
      .query("SELECT 1")
      .then(() => true);
    return await Promise.race([answer, sleep(DATABASE_ANSWERS_WITHIN_MS, false, { ref: false })]);
  } catch {
    return false; // that it does not answer is the answer
  }
}

/** Prometheus text, for the machine itself or for whoever holds METRICS_TOKEN. */
export const metricsText = endpoint("metrics", async (request) => {
  if (!mayReadMetrics(request)) throw new AppError("NOT_FOUND");
  const { registry } = metrics();
  return jsonReply(request, 200, await registry.metrics(), { "content-type": registry.contentType });
});

function mayReadMetrics(request: GatewayRequest): boolean {
  const token = config().METRICS_TOKEN;
  if (token && sameText(request.headers.authorization ?? "", `Bearer ${token}`)) return true;
  // A proxy on this machine speaks for clients elsewhere, and says so.
  return isLoopback(request.remoteAddress) && request.headers["x-forwarded-for"] === undefined && request.headers.forwarded === undefined;
}

const isLoopback = (address: string): boolean => address === "::1" || /^(::ffff:)?127\./.test(address);

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
