// One node of an EVM chain, over raw JSON-RPC: each call has a timeout, each response a limit and a schema, and each failure its kind.

import { request } from "undici";
import { z } from "zod";
import { readBoundedText } from "@/lib/base/bounded-text";
import { mostAnswerBytes, mostReceiptBytes, type UsedBy } from "../callers";
import { EvmFailure, type EvmFailureKind, kindOfRpcError } from "./failure";

export interface EvmNode {
  /** `node 1 of 2`: never its URL, which often contains an API key. */
  readonly name: string;
  /** @throws EvmFailure */
  call<T>(method: string, params: readonly unknown[], answer: z.ZodType<T>): Promise<T>;
}

interface EvmNodeOptions {
  url: string;
  name: string;
  timeoutMs: number;
  /** By default ours. */
  usedBy?: UsedBy;
}

const reply = z.object({
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().catch(0), message: z.string().catch(""), data: z.unknown().optional() }).nullish(),
});

const MAX_MESSAGE_CHARACTERS = 300;
const ID = 1;

export function createNode({ url, name, timeoutMs, usedBy = "ours" }: EvmNodeOptions): EvmNode {
  const hide = hiderOf(url);
  const fail = (kind: EvmFailureKind, what: string) => new EvmFailure(kind, `${name}: ${what}`);

  async function post(method: string, params: readonly unknown[]): Promise<{ status: number; text: string | null }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ID, method, params });
      const headers = { "content-type": "application/json", accept: "application/json" };
      const answer = await request(url, { method: "POST", headers, body, signal });
      return { status: answer.statusCode, text: await readBoundedText(answer.body, mostBytes(method, usedBy)) };
    } catch (error) {
      if (signal.aborted) throw fail("timeout", `no answer to ${method} within ${timeoutMs} ms`);
      // Only the error's code: its message names the host.
      const { code } = error as { code?: unknown };
      throw fail("unreachable", typeof code === "string" ? code : "the connection failed");
    }
  }

  async function call<T>(method: string, params: readonly unknown[], answer: z.ZodType<T>): Promise<T> {
    const { status, text } = await post(method, params);
    if (text === null) throw fail(kindOfLong(method, usedBy), `${method} was answered with more than ${mostBytes(method, usedBy)} bytes`);
    const read = reply.safeParse(parseJson(text));
    if (read.success && read.data.error) {
      const { code, message, data } = read.data.error;
      const options = { rpcCode: code, rpcData: typeof data === "string" ? data : undefined };
      const kind = status === 429 ? "rate_limited" : kindOfRpcError(method, code, message);
      throw new EvmFailure(kind, `${name}: ${method}: ${hide(message).slice(0, MAX_MESSAGE_CHARACTERS)}`, options);
    }
    if (status !== 200) throw fail(kindOfStatus(status), `${method} was answered with status ${status}`);
    if (!read.success || read.data.id !== ID) throw fail("malformed", `${method} was answered with no JSON-RPC reply`);
    const result = answer.safeParse(read.data.result);
    if (!result.success) throw fail("malformed", `${method} was answered in a form that it does not have`);
    return result.data;
  }

  return { name, call };
}

const mostBytes = (method: string, usedBy: UsedBy): number =>
  usedBy === "ours" && method === "eth_getTransactionReceipt" ? mostReceiptBytes : mostAnswerBytes[usedBy];

/** Where the caller chooses how much is asked for, every node would answer as much. */
const kindOfLong = (method: string, usedBy: UsedBy): EvmFailureKind =>
  usedBy === "pages" || method === "eth_getLogs" ? "too_large" : "malformed";

function kindOfStatus(status: number): EvmFailureKind {
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "refused" : "failing";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: schema validation reports it
  }
}

/** Removes from a node's message whatever could reveal its URL. */
function hiderOf(url: string): (text: string) => string {
  const { host, hostname, pathname, search, username, password } = new URL(url);
  const secrets = [url, host, hostname, search, username, password, ...pathname.split("/")].filter((part) => part.length >= 4);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}
