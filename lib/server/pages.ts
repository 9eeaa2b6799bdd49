// Next, as the part of the service that shows pages. It lives in this process; the API never passes through it.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import next from "next";
import { writePageClient } from "@/lib/access/page-client";
import { config } from "@/lib/base/config";
import type { PageHandler } from "./door";
import { contentSecurityPolicy, fixedHeaders } from "./page-headers";

export interface Pages {
  show: PageHandler;
  close: () => Promise<void>;
}

/** Resolves when pages can be shown. */
export type StartPages = () => Promise<Pages>;

/** Prepares Next in `dir`; resolves when it can show pages. */
export async function startPages({ dev, dir }: { dev: boolean; dir: string }): Promise<Pages> {
  const app = next({ dev, dir, customServer: true });
  await app.prepare();
  const handler = app.getRequestHandler();
  return {
    show: async (message: IncomingMessage, response: ServerResponse) => {
      const nonce = randomBytes(16).toString("base64");
      const policy = contentSecurityPolicy(nonce, { dev, withWalletConnect: config().WALLETCONNECT_PROJECT_ID !== undefined });
      // Next reads the nonce for its own scripts from this request header; a client's own value is overwritten.
      message.headers["content-security-policy"] = policy;
      message.headers["x-nonce"] = nonce;
      writePageClient(message);
      // So that a page can send somebody to sign in and have them back.
      message.headers["x-page-path"] = message.url ?? "/";
      response.setHeader("content-security-policy", policy);
      for (const [name, value] of fixedHeaders(config().PUBLIC_URL)) response.setHeader(name, value);
      await handler(message, response);
    },
    close: () => app.close(),
  };
}
