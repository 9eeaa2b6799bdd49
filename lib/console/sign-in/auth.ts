// The entry to next-auth. It passes only the endpoints that sign-in needs, by name, and only POSTs from our own pages; the rest of
// next-auth (its own pages, its remote log, its session updates) is not served.

import NextAuth from "next-auth";
import { z } from "zod";
import { readPageClient } from "@/lib/access/page-client";
import { log } from "@/lib/base/observe/log";
import { type RefusalReason, refusalText } from "../refusals";
import { readBodyJson, readBodyText } from "../request-body";
import { authOptions, ownUrl, type RefusedSignIn } from "./auth-options";
import { isSameOrigin, ownOrigin } from "./same-origin";
import { sessionCookieName } from "./session-cookie";

const served = new Set([
  ...["GET csrf", "GET session", "GET providers", "GET signin", "GET signout", "GET error"],
  ...["POST callback/wallet", "POST signout"],
]);

const MAX_BODY_BYTES = 65_536;

/** Answers a request below /api/auth; `steps` is the rest of its path. */
export async function answerAuth(request: Request, steps: readonly string[]): Promise<Response> {
  const name = `${request.method} ${steps.join("/")}`;
  // next-auth's browser code reports errors here; anyone could write into our log this way.
  if (name === "POST _log") return new Response(null, { status: 204 });
  if (!served.has(name)) {
    return Response.json({ error: { code: "NOT_FOUND", message: "Not found" } }, { status: 404 });
  }
  try {
    return await answerServed(request, name === "GET error" && !hasReason(request) ? ["signin"] : steps);
  } catch (error) {
    log().error({ err: error, name }, "next-auth failed");
    return refuse("unavailable", 503);
  }
}

async function answerServed(request: Request, steps: readonly string[]): Promise<Response> {
  const isPost = request.method === "POST";
  if (isPost && !isSameOrigin(request)) return refuse("wrong_origin", 403);
  const body = isPost ? await readForm(request) : {};
  if (!body) return refuse("invalid_request", 400);
  const reply = await ask(request, steps, body);
  reply.headers.set("cache-control", "private, no-store");
  // Reading a session sets no cookie: a late answer could replace or extend the cookie of a newer sign-in.
  if (steps[0] === "session") reply.headers.delete("set-cookie");
  // next-auth answers a missing CSRF token with status 200, which its browser code takes for success.
  if (/[?&]csrf=true$/.test(reply.target ?? "")) return refuse("csrf", 403);
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

/** A refusal in the format that next-auth's browser code reads: the reason is in `url`. */
function refuse(reason: RefusalReason, status: number): Response {
  const url = `${ownOrigin()}/connect?error=${reason}`;
  return Response.json({ url, reason, message: refusalText(reason) }, { status, headers: { "cache-control": "no-store" } });
}

/** The fields of a form or of a flat JSON object; null when it is neither, or too large. */
async function readForm(request: Request): Promise<Record<string, unknown> | null> {
  if (request.headers.get("content-type")?.includes("application/json")) {
    return z.record(z.string(), z.unknown()).safeParse(await readBodyJson(request, MAX_BODY_BYTES)).data ?? null;
  }
  const text = await readBodyText(request, MAX_BODY_BYTES);
  return text === null ? null : Object.fromEntries(new URLSearchParams(text));
}

interface AuthReply {
  status: number;
  headers: Headers;
  body: string | null;
  /** The target of the redirect, or the URL in the JSON. */
  target?: string;
}

/** Runs next-auth through its plain request and response API: that needs no part of Next, so tests run it unchanged. */
async function ask(request: Request, nextauth: readonly string[], body: Record<string, unknown>): Promise<AuthReply> {
  const cookies = readCookies(request.headers.get("cookie") ?? "");
  // The only way to set its own URL; without it next-auth would trust the Host header.
  process.env.NEXTAUTH_URL = ownOrigin();
  const browser = {
    userAgent: request.headers.get("user-agent") ?? "",
    clientAddress: readPageClient(request.headers),
    sessionToken: cookies[sessionCookieName()],
  };
  const refused: RefusedSignIn = {};
  const options = authOptions(browser, refused);
  const answer: (incoming: unknown, outgoing: unknown) => Promise<void> = NextAuth(options);
  const { reply, outgoing } = createReply();
  const query = { ...readQuery(new URL(request.url).searchParams), nextauth };
  await answer({ method: request.method, query, cookies, headers: Object.fromEntries(request.headers), body }, outgoing);
  if (refused.retryAfterMs === undefined) return reply;
  reply.headers.set("retry-after", `${Math.ceil(refused.retryAfterMs / 1_000)}`);
  return { ...reply, status: refused.isOurFault ? 503 : 429 };
}

/** Without a reason next-auth would report "undefined". */
const hasReason = (request: Request): boolean => "error" in readQuery(new URL(request.url).searchParams);

/** next-auth copies `error` into a header unchecked, and treats an unreadable URL as our own fault. */
function readQuery(query: URLSearchParams): Record<string, string> {
  const [error, callbackUrl] = [query.get("error"), query.get("callbackUrl")];
  return {
    ...(error !== null && /^[\w:]{1,64}$/.test(error) ? { error } : {}),
    ...(callbackUrl !== null ? { callbackUrl: ownUrl(callbackUrl) } : {}),
  };
}

function createReply() {
  const reply: AuthReply = { status: 200, headers: new Headers(), body: null };
  const outgoing = {
    status: (status: number) => {
      reply.status = status;
      return outgoing;
    },
    getHeader: (name: string) => (name === "Set-Cookie" ? reply.headers.getSetCookie() : reply.headers.get(name)),
    setHeader: (name: string, value: string | readonly string[]) => {
      reply.headers.delete(name);
      for (const item of [value].flat()) reply.headers.append(name, item);
      if (name === "Location" && typeof value === "string") reply.target = value;
      return outgoing;
    },
    json: (value: { url?: string }) => {
      reply.headers.set("content-type", "application/json");
      reply.target = value.url;
      reply.body = JSON.stringify(value);
    },
    send: (value: unknown) => {
      reply.body = typeof value === "string" || value === undefined ? (value ?? null) : JSON.stringify(value);
    },
    end: () => undefined,
  };
  return { reply, outgoing };
}

/** The browser's cookies except next-auth's callback URL: each request carries it anyway, and a broken one would fail all of them. */
function readCookies(header: string): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header.split(";")) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
    if (name !== "" && !name.endsWith("callback-url")) cookies[name] = decoded(value);
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // another application's cookie: not ours to read
  }
}
