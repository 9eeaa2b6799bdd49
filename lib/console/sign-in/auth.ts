// The door to next-auth. It lets in what sign-in needs, by name, and only POSTs that a page of ours sent; the rest of next-auth
// (its own pages, its remote log, its session updates) is not served.

import NextAuth from "next-auth";
import { z } from "zod";
import { readPageClient } from "@/lib/access/page-client";
import { log } from "@/lib/base/observe/log";
import { type RefusalReason, refusalText } from "../refusals";
import { readBodyJson, readBodyText } from "../request-body";
import { authOptions, ownUrl } from "./auth-options";
import { isSameOrigin, ownOrigin } from "./same-origin";
import { sessionCookieName } from "./session-cookie";

const served = new Set([
  ...["GET csrf", "GET session", "GET providers", "GET signin", "GET signout", "GET error"],
  ...["POST callback/wallet", "POST signout"],
]);

const MAX_BODY_BYTES = 65_536;

/** Answers a request below /api/auth; `steps` is its path from there on. */
export async function answerAuth(request: Request, steps: readonly string[]): Promise<Response> {
  const name = `${request.method} ${steps.join("/")}`;
  // Its browser part reports errors here; what anybody may write is no log of ours.
  if (name === "POST _log") return new Response(null, { status: 204 });
  if (!served.has(name)) {
    return Response.json({ error: { code: "NOT_FOUND", message: "There is nothing at this address" } }, { status: 404 });
  }
  try {
    return await answerServed(request, name === "GET error" && !hasReason(request) ? ["signin"] : steps);
  } catch (error) {
    log().error({ err: error, name }, "next-auth could not answer");
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
  // Reading a session sets no cookie: an answer on its way could replace that of a sign-in meanwhile, or prolong it.
  if (steps[0] === "session") reply.headers.delete("set-cookie");
  // next-auth says with status 200 that its token was missing, and its browser part takes that for success.
  if (/[?&]csrf=true$/.test(reply.target ?? "")) return refuse("csrf", 403);
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

/** A refusal in the form that next-auth's browser part reads: the reason stands in `url`. */
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
  /** Where it leads, by redirect or as an address in JSON. */
  target?: string;
}

/** Runs next-auth in its form for plain requests and responses: that one needs no part of Next, so tests run it as it is. */
async function ask(request: Request, nextauth: readonly string[], body: Record<string, unknown>): Promise<AuthReply> {
  const cookies = readCookies(request.headers.get("cookie") ?? "");
  // The only way to tell it where it is; without this it would believe the Host header.
  process.env.NEXTAUTH_URL = ownOrigin();
  const options = authOptions({
    userAgent: request.headers.get("user-agent") ?? "",
    clientAddress: readPageClient(request.headers),
    sessionToken: cookies[sessionCookieName()],
  });
  const answer: (incoming: unknown, outgoing: unknown) => Promise<void> = NextAuth(options);
  const { reply, outgoing } = createReply();
  const query = { ...readQuery(new URL(request.url).searchParams), nextauth };
  await answer({ method: request.method, query, cookies, headers: Object.fromEntries(request.headers), body }, outgoing);
  return reply;
}

/** Without a reason next-auth would give "undefined" for one. */
const hasReason = (request: Request): boolean => "error" in readQuery(new URL(request.url).searchParams);

/** next-auth puts `error` into a header as it comes, and takes an address that it cannot read for a fault of ours. */
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

/** What the browser sent, but for next-auth's memory of where to go: each request says that itself, and a broken one would stop all. */
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
    return value; // somebody else's cookie: not ours to read
  }
}
