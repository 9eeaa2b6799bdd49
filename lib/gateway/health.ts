// Liveness, readiness and metrics, for whoever runs the service.

import { timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
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

/** Adds a worker to readiness: `isWell` says whether it does its work at present. */
export function reportReadiness(name: string, isWell: () => boolean): void {
  workers().set(name, isWell);
}

/** 200 when new requests may be sent here: the database answers, the workers run, and no shutdown is under way. */
export const ready = endpoint("ready", async (request) => {
  const checks: Record<string, boolean> = { accepting: !isDraining(), database: await databaseAnswers() };
  for (const [name, isWell] of workers()) checks[name] = isWell();
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
