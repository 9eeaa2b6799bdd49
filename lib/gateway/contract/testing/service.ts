// The whole gateway for its contract suite: its own database, simulated models as a child process, and both HTTP servers on free ports.
// Everything stops with the test file, and its books and log are checked on the way.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { config } from "@/lib/base/config";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { closeCommitConnections } from "@/lib/ledger/commit/connections";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { readEndpoints, setEndpoints } from "@/lib/providers/endpoints";
import { closeProviderPools } from "@/lib/providers/transport";
import { startTestModels, type TestModels } from "@/lib/sandbox/models/testing";
import { createHttpServer } from "@/lib/server/http-server";
import { prepareGateway } from "../../prompt/prepare";
import { awaitNothingHeld } from "./books";
import { type CapturedLog, captureLog } from "./log";
import { createNextEntry, serveNextRoute } from "./next-entry";

export const entryNames = ["node", "next"] as const;
export type EntryName = (typeof entryNames)[number];

export interface Service {
  models: TestModels;
  log: CapturedLog;
  /** Base URL of an HTTP server, without a trailing slash. */
  url(entry: EntryName): string;
}

interface ServiceOptions {
  /** Settings of the process, overriding those of the suite. */
  env?: Record<string, string>;
  requestTimeoutMs?: number;
  stallTimeoutMs?: number;
}

/** Appears in no file of the product and no answer: the log must not contain it either. */
const PEPPER = "pepper-of-the-contract-suite-0123456789";
export const PUBLIC_URL = "https://penny.example";

const settings = {
  KEY_PEPPER: PEPPER,
  PUBLIC_URL,
  LOG_LEVEL: "trace",
  // All tests of a file share one address.
  FAILED_AUTH_PER_MINUTE: "100000",
  PROVIDER_RETRIES: "0",
};

/** Starts everything and registers its end. Call it at the top of a test file, and await it. */
export async function openService({ env = {}, requestTimeoutMs = 10_000, stallTimeoutMs = 10_000 }: ServiceOptions = {}): Promise<Service> {
  Object.assign(process.env, settings, env);
  const log = captureLog();
  await openTestDatabase();
  const models = await startTestModels();
  setEndpoints(readEndpoints(config(), models.baseUrls, models.apiKey));
  const gateway = await prepareGateway();
  const servers: Record<EntryName, Server> = {
    node: createHttpServer({ pages: serveNextRoute, requestTimeoutMs, stallTimeoutMs }),
    next: createNextEntry(),
  };
  const urls: Record<EntryName, string> = { node: await listen(servers.node), next: await listen(servers.next) };

  // A provider that failed in one test is called again in the next.
  beforeEach(() => forgetSingleton("circuitBreakers"));
  afterEach(awaitNothingHeld);
  afterAll(async () => {
    try {
      await rollUpRevenue();
      expect(await checkLedger()).toEqual([]);
      expect(await readableForPayments()).toEqual([]);
      await log.expectNoSecrets([PEPPER, models.apiKey]);
    } finally {
      for (const server of Object.values(servers)) {
        server.close();
        server.closeAllConnections();
      }
      await gateway.stop();
      await closeProviderPools();
      await models.stop();
      await closeCommitConnections();
    }
  });
  return { models, log, url: (entry) => urls[entry] };
}

/** Answers that are kept for a payment or a sign-in, and that whoever sees the database can read. */
async function readableForPayments(): Promise<string[]> {
  const { rows } = await pool().query<{ body: string }>(
    "SELECT body FROM idempotent_reply WHERE idempotency_key ~ '^(payment|sign-in-with-x) ' AND body <> '' AND body NOT LIKE 'sealed.%'",
  );
  return rows.map(({ body }) => body);
}

function listen(server: Server): Promise<string> {
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
