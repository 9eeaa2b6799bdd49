// JSON-RPC proxy to the service's chains for its own pages, whose browsers reach no other host: a list of read methods, and a method that
// sends a signed transaction. Only for signed-in owners, with a quota for each account and network, through clients of its own, so that
// nothing done here is taken for a fault of a node that deposits and payouts need. It never reveals which nodes it uses.

import { z } from "zod";
import { siteOf } from "@/lib/access/client-address";
import { limiter } from "@/lib/access/limits/limiter";
import type { Entry } from "@/lib/access/limits/memory-limiter";
import { Shares } from "@/lib/access/limits/shares";
import { readPageClient } from "@/lib/access/page-client";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { mostAnswerBytes } from "@/lib/chains/callers";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { isSolanaRefusal } from "@/lib/chains/solana/node-failure";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import type { Owner } from "../owner";
import { readBodyText } from "../request-body";
import { isSameOrigin } from "../sign-in/same-origin";
import { boundEvmParams, boundSolanaParams, evmMethods, solanaMethods } from "./rpc-methods";

const MAX_BODY_BYTES = 65_536;
const MAX_CALLS = 5;

// JSON-RPC 2.0, 5.1; the rate limit's is EIP-1474's.
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const LIMIT_EXCEEDED = -32_005;

const rpcId = z.union([z.string().max(200), z.number(), z.null()]);
const callForm = z.object({
  jsonrpc: z.literal("2.0"),
  id: rpcId.default(null),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

type Outcome = { result: unknown } | { error: RpcError; retryAfterMs?: number };
type Call = z.output<typeof callForm>;
type RpcAnswer = Outcome & { id: Call["id"] };

interface Chain {
  methods: ReadonlySet<string>;
  /** The parameters that its methods take, for a caller who sent others. */
  takes: string;
  /** The parameters that are passed on; null for those that are not. */
  bound: (method: string, params: readonly unknown[]) => readonly unknown[] | null;
  /** @throws what its nodes throw */
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>;
  /** The part of an error that the caller may see; null when the error is the nodes' own. */
  refusalIn: (error: unknown, method: string) => RpcError | null;
}

const chains: Readonly<Record<string, Chain>> = {
  base: {
    methods: evmMethods,
    takes: "a call to a contract's address and a block, no creation and no other state; fees of up to 128 blocks",
    bound: boundEvmParams,
    ask: (method, params) => evmNodes("pages").callFirst((node) => node.call(method, params, z.unknown())),
    refusalIn: (error, method) => {
      if (!isEvmFailure(error)) return null;
      if (error.kind === "too_large")
        return { code: LIMIT_EXCEEDED, message: `The answer is larger than ${mostAnswerBytes.pages} bytes. Ask for less.` };
      if (error.kind !== "rejected") return null;
      // The message begins with the node's name.
      const message = error.message.split(`${method}: `).slice(1).join(`${method}: `);
      return { code: error.rpcCode ?? INTERNAL_ERROR, message, data: error.rpcData };
    },
  },
  solana: {
    methods: solanaMethods,
    takes: "lists of up to 20",
    bound: boundSolanaParams,
    ask: (method, params) => solanaNodes("pages").call(method, params, z.unknown()),
    refusalIn: (error) =>
      isSolanaRefusal(error) ? { code: error.code, message: error.message, data: error.simulation ?? undefined } : null,
  },
};

/** Finds the owner of a request; null when signed out. */
type FindOwner = () => Promise<{ owner: Owner } | "unavailable" | null>;

const OF_ACCOUNT = { ratePerMinute: 300, concurrency: 40 };
/** Accounts cost nothing. An office that shares an address is more than one, and less than a hundred. */
const OF_NETWORK = { ratePerMinute: 1_500, concurrency: 200 };

/** Calls under way at a chain's nodes, which answer deposits and payouts, too. A chain that hangs takes no places of the other's. */
const places = processSingleton("places for calls of pages", () => {
  const ofChain = () => new Shares({ places: 60, ofOne: 8, waitingOfOne: 40, waiting: 500, mostWaitMs: 5_000 });
  return new Map(Object.values(chains).map((chain) => [chain, ofChain()]));
});

/** Answers one call or a batch, as JSON-RPC does; failures are errors in its format too. */
export async function answerRpc(request: Request, chainName: string, findOwner: FindOwner): Promise<Response> {
  const chain = Object.hasOwn(chains, chainName) ? chains[chainName] : undefined;
  if (!chain) return refuse(404, METHOD_NOT_FOUND, "This chain does not exist.");
  if (!isSameOrigin(request)) return refuse(403, INVALID_REQUEST, "Only pages of this service can use this endpoint.");
  const found = await findOwner();
  if (found === "unavailable") return refuse(503, INTERNAL_ERROR, "Your session cannot be checked right now. Try again.");
  if (!found) return refuse(401, INVALID_REQUEST, "Sign in to use this endpoint.");
  const body = parseJson(await readBodyText(request, MAX_BODY_BYTES));
  if (body === undefined) return refuse(400, PARSE_ERROR, `Send JSON of at most ${MAX_BODY_BYTES} bytes.`);
  const caller = { accountId: found.owner.accountId, address: readPageClient(request.headers) };
  if (!Array.isArray(body)) return respond(await answerCall(chain, body, caller));
  if (body.length === 0 || body.length > MAX_CALLS) return refuse(400, INVALID_REQUEST, `Send 1 to ${MAX_CALLS} calls at once.`);
  const answers = await Promise.all(body.map((call) => answerCall(chain, call, caller)));
  return Response.json(answers.map(writeAnswer), noStore);
}

interface Caller {
  accountId: AccountId;
  address: string;
}

async function answerCall(chain: Chain, sent: unknown, { accountId, address }: Caller): Promise<RpcAnswer> {
  const read = callForm.safeParse(sent);
  if (!read.success)
    return { id: null, error: { code: INVALID_REQUEST, message: "This is no call of JSON-RPC 2.0 with a list of params." } };
  const { id, method, params } = read.data;
  if (!chain.methods.has(method)) return { id, error: { code: METHOD_NOT_FOUND, message: "This method is not served here." } };
  const bounded = chain.bound(method, params);
  if (!bounded) {
    return { id, error: { code: INVALID_PARAMS, message: `${method} was given more than it takes here: ${chain.takes}.` } };
  }
  const tooMany = (retryAfterMs: number) => ({
    id,
    error: { code: LIMIT_EXCEEDED, message: "Too many calls: wait a moment." },
    retryAfterMs,
  });
  const entry = await enterRpcCall(accountId, address);
  if (!entry.granted) return tooMany(entry.retryAfterMs);
  const giveBack = await places().get(chain)?.take(accountId);
  if (!giveBack) {
    entry.leave();
    return tooMany(1_000);
  }
  try {
    return { id, result: (await chain.ask(method, bounded)) ?? null };
  } catch (error) {
    const refusal = chain.refusalIn(error, method);
    if (refusal) return { id, error: refusal };
    log().info({ reason: error instanceof Error ? error.message : "unknown", method }, "a page's RPC call failed");
    return { id, error: { code: INTERNAL_ERROR, message: "The network is not responding. Try again in a moment." } };
  } finally {
    giveBack();
    entry.leave();
  }
}

const noStore = { headers: { "cache-control": "no-store" } };

const writeAnswer = (answer: RpcAnswer) =>
  "error" in answer ? { jsonrpc: "2.0", id: answer.id, error: answer.error } : { jsonrpc: "2.0", id: answer.id, result: answer.result };

function respond(answer: RpcAnswer): Response {
  const isLimited = "error" in answer && answer.retryAfterMs !== undefined;
  if (!isLimited) return Response.json(writeAnswer(answer), noStore);
  const headers = { ...noStore.headers, "retry-after": `${Math.ceil((answer.retryAfterMs ?? 0) / 1_000)}` };
  return Response.json(writeAnswer(answer), { status: 429, headers });
}

const refuse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { ...noStore, status });

function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // undefined is no JSON value
  }
}

/** Takes one call of this account, and of its client's network; a granted entry must be left when the call is answered. */
async function enterRpcCall(accountId: AccountId, clientAddress: string): Promise<Entry> {
  const ofAccount = await limiter().enter(`chain calls of ${accountId}`, OF_ACCOUNT);
  if (!ofAccount.granted) return ofAccount;
  const ofNetwork = await limiter().enter(`chain calls from ${siteOf(clientAddress)}`, OF_NETWORK);
  const leave = () => {
    ofAccount.leave();
    if (ofNetwork.granted) ofNetwork.leave();
  };
  if (ofNetwork.granted) return { ...ofNetwork, leave };
  leave();
  return ofNetwork;
}
