// Liveness, readiness and metrics, for the operator of the service.

import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry } from "prom-client";
import { trustedProxies } from "@/lib/access/client-address";
import { areSignUpsUsual } from "@/lib/access/sign-ups";
import { nowMs, systemClockOffsetMs } from "@/lib/base/clock";
import { config, isReachedByStrangers } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { eventLoopDelayMs } from "@/lib/base/observe/event-loop";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { isSameText } from "@/lib/base/same-text";
import { haveNodesAgreed, nodeQuorum } from "@/lib/chains/quorum";
import { prisma } from "@/lib/db/prisma";
import { hasFreeAddress } from "@/lib/wallets/custody/address-pool";
import { endpoint, isDraining, jsonReply } from "./endpoint";
import type { GatewayRequest } from "./request";

/** The process is alive and its event loop runs. */
export const health = endpoint("health", async (request) => jsonReply(request, 200, writeJson({ status: "ok" })));

interface Worker {
  isWell: () => boolean;
  isVital: () => boolean;
}

const workers = processSingleton("readiness workers", () => new Map<string, Worker>());

/** When each failing check was first seen to fail, Unix milliseconds. */
const wrongSince = processSingleton("wrong since", () => new Map<string, number>());

function recordWellness(name: string, isWell: boolean): Date | null {
  if (isWell) wrongSince().delete(name);
  else if (!wrongSince().has(name)) wrongSince().set(name, nowMs());
  const since = wrongSince().get(name);
  return since === undefined ? null : new Date(since);
}

export interface Check {
  name: string;
  isWell: boolean;
  /** False when requests are served even while it fails: the check is reported and decides nothing. */
  isVital: boolean;
  /** When it was first seen to fail; null while it is well. */
  wrongSince: Date | null;
  /** How long the check took, where that is informative. */
  ms?: number;
}

/**
 * Whether this process can serve, by part: accepting, database, then the workers. A process that serves sign-ins also checks whether an
 * account could be opened; without a database that is unknown.
 */
export async function runChecks(): Promise<Check[]> {
  const check = (name: string, isWell: boolean, isVital = true): Check => ({
    name,
    isWell,
    isVital,
    wrongSince: recordWellness(name, isWell),
  });
  const startedAt = performance.now();
  const database = check("database", await databaseAnswers());
  database.ms = performance.now() - startedAt;
  const workerChecks = [...workers()].map(([name, { isWell, isVital }]) => check(name, isWell(), isVital()));
  const all = [check("accepting", !isDraining()), database, ...workerChecks];
  for (const theirs of others().reports?.checks() ?? []) {
    const ours = all.find(({ name }) => name === theirs.name);
    if (!ours) all.push(check(theirs.name, theirs.isWell, theirs.isVital));
    else if (!theirs.isWell) Object.assign(ours, check(theirs.name, false, theirs.isVital));
  }
  if (nodeQuorum() > 1) all.push(check("nodes", haveNodesAgreed(), false));
  return database.isWell && isReachedByStrangers()
    ? [
        ...all,
        check("addresses", await addressesAreFree(), false),
        check("signUps", await signUpsAreUsual(), false),
        ...(config().MODE === "live" ? [check("proxy", knowsProxy(), false)] : []),
      ]
    : all;
}

/** This server speaks http and PUBLIC_URL is https, so a proxy stands before it; unless it is listed, all clients count as one address. */
export const knowsProxy = (): boolean => trustedProxies().any;

/** Adds a worker to readiness: `isWell` says whether it is working now. Requests are served without a worker that is not vital now. */
export function reportReadiness(name: string, isWell: () => boolean, { isVital = () => true }: { isVital?: () => boolean } = {}): void {
  workers().set(name, { isWell, isVital });
}

/** This process's checks of its own workers. */
export const readWorkers = (): Pick<Check, "name" | "isWell" | "isVital">[] =>
  [...workers()].map(([name, { isWell, isVital }]) => ({ name, isWell: isWell(), isVital: isVital() }));

/** The reports of other processes of the same start. */
interface OtherProcesses {
  checks: () => Pick<Check, "name" | "isWell" | "isVital">[];
  /** Each process's as prom-client's JSON; undefined for a process that is away. */
  metrics: () => Promise<unknown[]>;
}

const others = processSingleton<{ reports?: OtherProcesses | undefined }>("other processes", () => ({}));

/** Adds other processes to readiness and metrics, until the returned function is called. */
export function reportOthers(reports: OtherProcesses): () => void {
  others().reports = reports;
  return () => {
    others().reports = undefined;
  };
}

/**
 * 200 when new requests may be sent here: the database answers, the workers run, and no shutdown is in progress. `eventLoopDelayMs`, the
 * worst of the last seconds, and `clockOffsetMs` decide nothing: one tells a stalled process from one whose database is slow, the other a
 * machine whose clock is wrong, which does no harm.
 */
export const ready = endpoint("ready", async (request) => {
  const all = await runChecks();
  const checks = Object.fromEntries(all.map(({ name, isWell }) => [name, isWell]));
  const isReady = all.every(({ isWell, isVital }) => isWell || !isVital);
  const body = {
    status: isReady ? "ready" : "not ready",
    checks,
    eventLoopDelayMs: eventLoopDelayMs(),
    clockOffsetMs: systemClockOffsetMs(),
  };
  return jsonReply(request, isReady ? 200 : 503, writeJson(body));
});

/** A load balancer polls every few seconds and does not wait: a database that takes longer is down for customers, too. */
const DATABASE_ANSWERS_WITHIN_MS = 2_000;

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    return await Promise.race([ask().then(() => true), sleep(DATABASE_ANSWERS_WITHIN_MS, false, { ref: false })]);
  } catch {
    return false; // no answer is the result
  }
}

const asked = processSingleton<{ answer?: Promise<boolean> | undefined }>("the database's answer", () => ({}));

/** Everyone who asks while a question is under way gets its answer: strangers may ask as often as they like. */
async function databaseAnswers(): Promise<boolean> {
  const held = asked();
  held.answer ??= answers(() => prisma().$queryRaw`SELECT 1`).finally(() => {
    held.answer = undefined;
  });
  return held.answer;
}

const ADDRESSES_READ_EVERY_MS = 5_000;
const addresses = processSingleton("free addresses", () => ({ readAtMs: Number.NEGATIVE_INFINITY, areFree: true }));

/** At most some seconds old; the previous value when the database does not answer. */
async function addressesAreFree(): Promise<boolean> {
  const known = addresses();
  if (nowMs() - known.readAtMs < ADDRESSES_READ_EVERY_MS) return known.areFree;
  known.readAtMs = nowMs();
  await answers(async () => {
    known.areFree = await hasFreeAddress();
  });
  return known.areFree;
}

/** An alarm for the operator, which stops nothing. True while the database does not answer. */
async function signUpsAreUsual(): Promise<boolean> {
  let areUsual = true;
  await answers(async () => {
    areUsual = await areSignUpsUsual();
  });
  return areUsual;
}

/** Prometheus text, for a caller with METRICS_TOKEN; of a sandbox also for this machine itself. */
export const metricsText = endpoint("metrics", async (request) => {
  if (!mayReadMetrics(request)) throw new AppError("NOT_FOUND");
  const registry = await readRegistry();
  return jsonReply(request, 200, await registry.metrics(), { "content-type": registry.contentType });
});

/** This process's metrics, and those of the other processes of its start added to them. */
async function readRegistry() {
  const { registry } = metrics();
  const theirs = (await others().reports?.metrics())?.filter((one) => Array.isArray(one)) ?? [];
  return theirs.length === 0 ? registry : AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...theirs]);
}

function mayReadMetrics({ remoteAddress, headers }: GatewayRequest): boolean {
  const token = config().METRICS_TOKEN;
  if (token && isSameText(headers.authorization ?? "", `Bearer ${token}`)) return true;
  // A proxy on this machine forwards for remote clients, and not each says so: in live mode only the token counts.
  if (config().MODE === "live" || !isLoopback(remoteAddress)) return false;
  return isOwnName(headers.host ?? "") && proxyHeaders.every((name) => headers[name] === undefined);
}

const proxyHeaders = ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"];

/** A page of another site can lead its own name to this machine. */
const isOwnName = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);

const isLoopback = (address: string): boolean => address === "::1" || /^(::ffff:)?127\./.test(address);
