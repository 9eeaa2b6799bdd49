// The playground's endpoints as its page calls them: through our own HTTP server, or by Next's route handlers.

import { NextRequest } from "next/server";
import { openSession } from "@/lib/access/sessions";
import { findOwnerOf } from "@/lib/console/owner";
import { csrfToken } from "@/lib/console/sign-in/same-origin";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import type { TestAccount } from "@/lib/gateway/contract/testing/accounts";
import { promptOf } from "@/lib/gateway/contract/testing/client";
import { type EntryName, PUBLIC_URL, type Service } from "@/lib/gateway/contract/testing/service";
import * as answerRoute from "./answer/route";
import * as quoteRoute from "./quote/route";

export const settings = { SESSION_SECRET: "a session secret of more than 32 characters" };
export const routes = { answer: answerRoute, quote: quoteRoute };

/** Signs the account in; the headers are those of its own page. */
async function signIn({ accountId }: TestAccount): Promise<Record<string, string>> {
  const wallet = { chain: "evm", address: `0x${"4f".repeat(20)}` } as const;
  const { token } = await openSession({ accountId, wallet, userAgent: "test", clientAddress: "127.0.0.1" });
  const owner = await findOwnerOf(token);
  if (!owner) throw new Error("the session just opened is not there");
  return {
    origin: PUBLIC_URL,
    cookie: `${sessionCookieName()}=${token}`,
    "x-csrf-token": csrfToken(owner),
    "content-type": "application/json",
  };
}

interface Sent {
  to?: keyof typeof routes;
  body?: object;
  signal?: AbortSignal;
}

interface Given {
  body: string | ReadableStream;
  signal?: AbortSignal;
}

/** The endpoints of a service; `use` says by which way the next requests go. */
export function openPlayground(service: Service) {
  let entry: EntryName = "node";
  const sendTo = (to: keyof typeof routes, headers: Record<string, string>, given: Given): Promise<Response> => {
    const options = { method: "POST", headers, duplex: "half", ...given } as const;
    if (entry === "node") return fetch(`${service.url("node")}/playground/${to}`, options);
    return routes[to].POST(new NextRequest(`${PUBLIC_URL}/playground/${to}`, options));
  };
  return {
    signIn,
    sendTo,
    send: (headers: Record<string, string>, { to = "answer", body = promptOf(), signal }: Sent = {}): Promise<Response> =>
      sendTo(to, headers, { body: JSON.stringify(body), ...(signal && { signal }) }),
    use: (name: EntryName): void => {
      entry = name;
    },
  };
}
