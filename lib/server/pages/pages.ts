// Next, which renders the pages, in a process that no API request reaches.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { believePageClient, CLIENT_HEADER, writePageClient } from "@/lib/access/page-client";
import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";
import { deviceText } from "@/lib/console/sign-in/device";
import { runActing } from "@/lib/db/acting";
import { showBusy } from "../processes/away-page";
import { PageCache } from "./page-cache";
import { contentSecurityPolicy, fixedHeaders } from "./page-headers";
import type { PageHandler } from "./page-request";
import { PageShares } from "./page-shares";
import { cookieOf, publicVariant } from "./public-pages";

export interface Pages {
  show: PageHandler;
  close: () => Promise<void>;
}

/** Resolves when pages can be served. */
export type StartPages = () => Promise<Pages>;

export interface PagesOptions {
  dev: boolean;
  dir: string;
  /** Requests are passed on by the API's process, which has written their client's address. */
  isBehind: boolean;
}

/** Prepares Next in `dir`; resolves when it can serve pages. */
export async function startPages({ dev, dir, isBehind }: PagesOptions): Promise<Pages> {
  believePageClient();
  const { default: next } = await import("next");
  const app = next({ dev, dir, customServer: true });
  await (dev ? app.prepare() : withBuiltConfig(dir, () => app.prepare()));
  const handler = app.getRequestHandler();
  const policyOptions = { dev, withWalletConnect: config().WALLETCONNECT_PROJECT_ID !== undefined };
  const render = async (message: IncomingMessage, response: ServerResponse) => {
    nameOurselves(message);
    const nonce = randomBytes(16).toString("base64");
    const policy = contentSecurityPolicy({ nonce }, policyOptions);
    // Next reads the nonce for its own scripts from this request header; a client's own value is overwritten.
    message.headers["content-security-policy"] = policy;
    message.headers["x-nonce"] = nonce;
    // So that a page can redirect to sign-in and back.
    message.headers["x-page-path"] = message.url ?? "/";
    response.setHeader("content-security-policy", policy);
    for (const [name, value] of fixedHeaders(config().PUBLIC_URL)) response.setHeader(name, value);
    await asVisitor(message, () => handler(message, response));
  };
  const cache = new PageCache({ render, policy: (hashes) => contentSecurityPolicy({ hashes }, policyOptions), cookieOf });
  const shares = new PageShares();
  return {
    show: async (message: IncomingMessage, response: ServerResponse) => {
      if (!isOfOurPages(message)) return refuse(response);
      if (!isBehind) writePageClient(message);
      const variant = dev ? null : publicVariant(message);
      if (variant && cache.showKept(variant, message, response)) return;
      const giveBack = await shares.take(message, response);
      if (!giveBack) return showBusy(message, response);
      try {
        if (!variant || !(await cache.show(variant, message, response))) await render(message, response);
      } finally {
        giveBack();
      }
    },
    close: async () => void (await Promise.all([app.close(), cache.close()])),
  };
}

/**
 * Makes Next take its configuration from the build, as its standalone server does. To read next.config.ts it would load its compiler,
 * over 24 MB of memory, and use it for nothing else.
 */
async function withBuiltConfig(dir: string, prepare: () => Promise<void>): Promise<void> {
  const { config: built } = JSON.parse(readFileSync(join(dir, ".next/required-server-files.json"), "utf8")) as { config: object };
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(built);
  try {
    // Next keeps what it has loaded. Loaded by itself, it prints how long that took, between the steps of the start.
    const require = createRequire(import.meta.url);
    const { default: loadConfig } = require("next/dist/server/config") as typeof import("next/dist/server/config");
    await loadConfig("phase-production-server", dir, { silent: true });
    await prepare();
  } finally {
    // Child processes must not inherit it.
    delete process.env.__NEXT_PRIVATE_STANDALONE_CONFIG;
  }
}

const changes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Changes made by a page carry the address they come from; the actor is added once the session is looked up. A page that is only shown
 * changes nothing.
 */
function asVisitor<Result>({ method = "GET", headers }: IncomingMessage, work: () => Result): Result {
  if (!changes.has(method)) return work();
  const [address] = [headers[CLIENT_HEADER] ?? "unknown"].flat();
  return runActing({ actor: null, origin: { address: address ?? "unknown", device: deviceText(headers["user-agent"] ?? "") } }, work);
}

/** A change must come from one of our pages: browsers send the Origin. Paths below /api check for themselves and answer in JSON. */
function isOfOurPages({ method = "GET", url = "/", headers }: IncomingMessage): boolean {
  return !changes.has(method) || url.startsWith("/api/") || headers.origin === new URL(publicUrl()).origin;
}

function refuse(response: ServerResponse): void {
  const message = `This page was opened at another address. Open ${publicUrl()} and try again.`;
  response.writeHead(403, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ reason: "wrong_origin", message }));
}

/** Next takes its own address from headers that clients and proxies write: we overwrite them with the public address. */
function nameOurselves({ headers }: IncomingMessage): void {
  const { host, protocol } = new URL(publicUrl());
  headers["x-page-host"] = headers.host;
  headers.host = host;
  headers["x-forwarded-host"] = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
}
