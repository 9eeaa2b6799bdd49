// Failures of calls to a chain's nodes, by kind. Messages name a node by its position in the list: its URL often holds an API key, so
// neither messages nor causes contain it.

/** The kind tells the caller what to do: retry later, request less, or change the request. */
export type EvmFailureKind =
  /** Nothing answers at the address, or the connection broke. */
  | "unreachable"
  | "timeout"
  | "rate_limited"
  /** The node refuses to serve us: 401, 403, 404 or another 4xx. */
  | "refused"
  /** 5xx, an internal error, or a method that it lacks. */
  | "failing"
  /** The response does not match the method's schema. */
  | "malformed"
  | "wrong_chain"
  /** The node lacks a block that other nodes have, or its head is implausible. */
  | "behind"
  /** The chain was reorganised during the read: read again. */
  | "moved"
  /** Two nodes give different answers about one block: at least one of them lies or is broken. */
  | "disputed"
  /** More logs or blocks than the node returns at once: request a smaller range. */
  | "too_large"
  /** Every node would answer the same: the call reverts, or the transaction is invalid. */
  | "rejected"
  /** No node is configured. */
  | "no_nodes";

interface EvmFailureOptions {
  /** JSON-RPC's code and data, of kind `rejected`. */
  rpcCode?: number;
  rpcData?: string;
}

const brand = Symbol.for("pennyprompt.EvmFailure");

export class EvmFailure extends Error {
  readonly [brand] = true;
  readonly kind: EvmFailureKind;
  readonly rpcCode: number | undefined;
  readonly rpcData: string | undefined;

  constructor(kind: EvmFailureKind, message: string, options: EvmFailureOptions = {}) {
    super(message);
    this.name = "EvmFailure";
    this.kind = kind;
    this.rpcCode = options.rpcCode;
    this.rpcData = options.rpcData;
  }
}

/** True for an EvmFailure of any copy of this module; `instanceof` fails between Next's bundles. */
export function isEvmFailure(error: unknown): error is EvmFailure {
  return typeof error === "object" && error !== null && (error as { [brand]?: boolean })[brand] === true;
}

/** Whether another node may succeed. */
export const isNodesOwn = ({ kind }: EvmFailure): boolean =>
  kind !== "rejected" && kind !== "too_large" && kind !== "no_nodes" && kind !== "disputed";

// Each node implementation has its own messages. A message about a missing block may contain "range" too, so that pattern is matched first.
const ABOUT_MISSING = /header not found|missing trie node|unknown block|beyond current head|BlockOutOfRange/i;
const BLOCK_DATA = /block|state|header/i;
const MISSING = /not found|not available|missing|unknown/i;
const ABOUT_RATE = /rate|too many requests|per second|quota|credits|capacity/i;
const ABOUT_SIZE = /range|too (many|large|big)|more than|response size|limit|exceed|timed? ?out/i;
const JUDGED_BY_THE_CHAIN = new Set(["eth_call", "eth_estimateGas", "eth_sendRawTransaction"]);

const EXECUTION_REVERTED = 3;
const TRANSACTION_REJECTED = -32_003;
const LIMIT_EXCEEDED = -32_005;
const INVALID_PARAMS = -32_602;
const SERVER_ERROR = -32_000;
/** EIP-1898: no block with this hash. */
const RESOURCE_NOT_FOUND = -32_001;

/** Whether `second` matches anywhere after `first`. One regex for both, `first.*second`, takes quadratic time, and nodes write the messages. */
export function isFollowedBy(message: string, first: RegExp, second: RegExp): boolean {
  const start = message.search(first);
  return start >= 0 && second.test(message.slice(start));
}

/** The kind of a JSON-RPC error. EIP-1474 leaves most codes to the nodes, so the message decides where the code does not. */
export function kindOfRpcError(method: string, code: number, message: string): EvmFailureKind {
  if (ABOUT_MISSING.test(message) || isFollowedBy(message, BLOCK_DATA, MISSING) || code === RESOURCE_NOT_FOUND) return "behind";
  if (code === 429 || (ABOUT_RATE.test(message) && !/range|response size/i.test(message))) return "rate_limited";
  if (method === "eth_getLogs" && ABOUT_SIZE.test(message)) return "too_large";
  if (code === LIMIT_EXCEEDED) return "rate_limited";
  if (code === EXECUTION_REVERTED || code === TRANSACTION_REJECTED || code === INVALID_PARAMS) return "rejected";
  return code === SERVER_ERROR && JUDGED_BY_THE_CHAIN.has(method) ? "rejected" : "failing";
}
