// Contract wallets (ERC-1271), deployed or not yet (ERC-6492): the chain runs the check, which is untrusted code. It may revert, loop or
// return garbage; that must not look like a node outage, nor an outage like a refusal.

import { randomBytes } from "node:crypto";
import { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode, type Hex, size, toHex } from "viem";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { readAgreed } from "./agreement";
import { isEvmFailure } from "./failure";
import type { ReadState } from "./final-state";
import { type EvmNodes, evmNodes } from "./nodes";
import { bytes, flag } from "./wire";

/** `unavailable`: not enough nodes could check it, or they disagree, so the result is unknown. */
export type SignatureVerdict = "valid" | "invalid" | "unavailable";

/** Verifying a passkey in Solidity takes 0.3 million gas, deploying a wallet up to 2 million. */
const MAX_GAS = 5_000_000;
const KEY_SIGNATURE_BYTES = 65;
/** Passkeys, Safes of many owners, and deployments by a factory take some thousand bytes. */
const MAX_SIGNATURE_BYTES = 8_192;
/** The suffix of a signature that includes its wallet's deployment. */
const UNDEPLOYED = "6492".repeat(16);

/**
 * Creation code that runs the creation code appended to it in a nested CREATE. It returns 1 when the nested code leaves the byte 1, and 0
 * when it leaves anything else or fails. So every refusal by a wallet is a result, and every error comes from the node.
 *
 *   6021 80 38 03           n = code size - 0x21: the length of what follows this code
 *   80 91 6000 39           memory[0 .. n] = code[0x21 ..]
 *   6000 6000 f0            made = create(value 0, memory[0 .. n]): 0 when it failed; 1/64 of the gas stays here
 *   6000 6000 52            memory[0 .. 32] = 0
 *   6001 6000 601f 83 3c    memory[31] = first byte of made's code
 *   6020 6000 f3            return memory[0 .. 32]
 */
const guard = "0x6021803803809160003960006000f0600060005260016000601f833c60206000f3";

/** Whether the contract at `address`, deployed already or by the signature itself, accepts `signature` for `hash`. */
export async function verifyContractSignature(
  address: Hex,
  hash: Hex,
  signature: Hex,
  nodes: EvmNodes = evmNodes(),
): Promise<SignatureVerdict> {
  if (size(signature) > MAX_SIGNATURE_BYTES) return "invalid";
  // Without a node no contract can be called; a 65-byte signature is then treated as another key's, which it almost always is.
  if (nodes.count === 0) return size(signature) === KEY_SIGNATURE_BYTES ? "invalid" : "unavailable";
  const check = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  });
  const call = { from: randomSender(), data: `${guard}${check.slice(2)}`, gas: toHex(MAX_GAS) };
  const accepts: ReadState<boolean> = (node, at) => node.call("eth_call", [call, at], flag);
  return signature.endsWith(UNDEPLOYED)
    ? verdictOf(address, async (node, at) => judge(await accepts(node, at)), nodes)
    : callWallet(address, accepts, nodes);
}

/** A random sender: some wallets accept any signature from the addresses that simulations usually use. The same one at every node. */
export const randomSender = (): Hex => toHex(randomBytes(20));

/** Whether a deployed contract accepts. An address without code is asked nothing. */
export async function callWallet(address: Hex, accepts: ReadState<boolean>, nodes: EvmNodes): Promise<SignatureVerdict> {
  if (isKnownWithoutCode(address, nodes)) return "invalid";
  const ask: ReadState<Answer> = async (node, at) => {
    const code = await node.call("eth_getCode", [address, at], bytes);
    return code === "0x" ? "no code" : judge(await accepts(node, at));
  };
  return verdictOf(address, ask, nodes);
}

type Answer = "no code" | "accepted" | "refused";

const judge = (isAccepted: boolean): Answer => (isAccepted ? "accepted" : "refused");

async function verdictOf(address: Hex, ask: ReadState<Answer>, nodes: EvmNodes): Promise<SignatureVerdict> {
  try {
    const answer = await readAgreed(ask, { what: "a contract wallet's signature", address }, nodes);
    if (answer === "no code") rememberWithoutCode(address, nodes);
    return answer === "accepted" ? "valid" : "invalid";
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    log().warn({ kind: error.kind, reason: error.message }, "the signature of a contract wallet could not be checked");
    return "unavailable";
  }
}

// Addresses that had no code a moment ago: a wrong signature of an ordinary key, sent again and again, costs no calls.

const WITHOUT_CODE_MS = 30_000;
const MAX_WITHOUT_CODE = 10_000;
const withoutCode = processSingleton("addresses without code", () => new WeakMap<EvmNodes, Map<Hex, number>>());

const isKnownWithoutCode = (address: Hex, nodes: EvmNodes): boolean => (withoutCode().get(nodes)?.get(address) ?? 0) > nowMs();

function rememberWithoutCode(address: Hex, nodes: EvmNodes): void {
  const known = withoutCode().get(nodes) ?? new Map<Hex, number>();
  withoutCode().set(nodes, known);
  known.delete(address);
  known.set(address, nowMs() + WITHOUT_CODE_MS);
  const [oldest] = known.keys();
  if (known.size > MAX_WITHOUT_CODE && oldest !== undefined) known.delete(oldest);
}
