import { expect, test } from "vitest";
import { EvmFailure, type EvmFailureKind, isEvmFailure, isFollowedBy, isNodesOwn, kindOfRpcError } from "./failure";

test.each<[EvmFailureKind, string, number, string]>([
  ["behind", "eth_call", -32_602, "BlockOutOfRangeError: block height is 10 but requested was 7"],
  ["behind", "eth_getLogs", -32_602, "block range extends beyond current head block"],
  ["behind", "eth_call", -32_000, "header not found"],
  ["behind", "eth_call", -32_000, "missing trie node 3f (path )"],
  ["behind", "eth_getBlockByNumber", -39_001, "Unknown block"],
  ["behind", "eth_call", -32_000, "the state of block 7 is not available"],
  ["failing", "eth_call", -32_603, "method not found in header"],
  ["rate_limited", "eth_getLogs", -32_005, "daily request count exceeded, request rate limited"],
  ["rate_limited", "eth_call", 429, "compute units per second capacity exceeded"],
  ["rate_limited", "eth_blockNumber", -32_005, "limit exceeded"],
  ["too_large", "eth_getLogs", -32_005, "query returned more than 10000 results"],
  ["too_large", "eth_getLogs", -32_602, "eth_getLogs is limited to a 10,000 range"],
  ["too_large", "eth_getLogs", -32_000, "exceed maximum block range: 5000"],
  ["rejected", "eth_call", 3, "execution reverted: Pausable: paused"],
  ["rejected", "eth_estimateGas", -32_000, "execution reverted"],
  ["rejected", "eth_sendRawTransaction", -32_000, "nonce too low: next nonce 5, tx nonce 4"],
  ["rejected", "eth_sendRawTransaction", -32_003, "insufficient funds for gas * price + value"],
  ["rejected", "eth_getBalance", -32_602, "invalid address"],
  ["failing", "eth_getBlockByNumber", -32_603, "Internal error"],
  ["failing", "eth_getBlockByNumber", -32_601, "the method is not available"],
  ["failing", "eth_getBlockByNumber", -32_000, "backend is restarting"],
])("%s: %s answered with %i, %s", (kind, method, code, message) => {
  expect(kindOfRpcError(method, code, message)).toBe(kind);
});

test.each([
  ["Transaction nonce is lower than the account's", true],
  ["nonce has already been used, nonce: 5", false],
  ["NONCE 5: already used", true],
  ["gas price is lower than the minimum for nonce 5", false],
])("a nonce that is used up, by the order of the words: %s", (message, isUsedUp) => {
  expect(isFollowedBy(message, /nonce/i, /lower|already used/i)).toBe(isUsedUp);
});

test("a failure from another copy of this module is recognized, and says whether another node may succeed", () => {
  const foreign = Object.assign(new Error("x"), { [Symbol.for("pennyprompt.EvmFailure")]: true });
  expect([isEvmFailure(foreign), isEvmFailure(new Error("x")), isEvmFailure(null)]).toEqual([true, false, false]);
  expect(isNodesOwn(new EvmFailure("timeout", ""))).toBe(true);
  for (const kind of ["rejected", "too_large", "no_nodes"] as const) expect(isNodesOwn(new EvmFailure(kind, ""))).toBe(false);
});
