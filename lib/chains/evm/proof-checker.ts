// Verifies signatures of contract wallets with the same code and gas limit as the settlement contract.

import { randomBytes } from "node:crypto";
import { encodeDeployData, type Hex, parseAbi, toHex } from "viem";
import { log } from "@/lib/base/observe/log";
import checker from "../contracts/artifacts/proof-checker.json";
import type { SignatureVerdict } from "./contract-wallet";
import { isEvmFailure } from "./failure";
import { type EvmNodes, evmNodes } from "./nodes";
import { flag } from "./wire";

const checkerAbi = parseAbi(["constructor(address from, bytes32 hash, bytes signature)"]);
/** The contract's gas limit for a wallet's check, with a margin. */
const GAS = 2_000_000;

/** Whether the contract at `from` accepts `signature` for `hash`; an address without code accepts none. */
export async function verifyAtProofChecker(from: Hex, hash: Hex, signature: Hex, nodes: EvmNodes = evmNodes()): Promise<SignatureVerdict> {
  const data = encodeDeployData({ abi: checkerAbi, bytecode: checker.bytecode as Hex, args: [from, hash, signature] });
  // A random sender: some wallets accept any signature from the addresses that simulations usually use as sender.
  const call = { from: toHex(randomBytes(20)), data, gas: toHex(GAS) };
  try {
    return (await nodes.callFirst((node) => node.call("eth_call", [call, "latest"], flag))) ? "valid" : "invalid";
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    log().warn({ kind: error.kind, reason: error.message }, "no node could check a contract wallet's signature");
    return "unavailable";
  }
}
