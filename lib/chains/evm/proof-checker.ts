// Signatures of contract wallets, judged by the very code that the settlement contract judges them by, with its gas.

import { randomBytes } from "node:crypto";
import { encodeDeployData, type Hex, parseAbi, toHex } from "viem";
import { log } from "@/lib/base/observe/log";
import checker from "../contracts/artifacts/proof-checker.json";
import type { SignatureVerdict } from "./contract-wallet";
import { isEvmFailure } from "./failure";
import { type EvmNodes, evmNodes } from "./nodes";
import { flag } from "./wire";

const checkerAbi = parseAbi(["constructor(address from, bytes32 hash, bytes signature)"]);
/** What the contract gives to a wallet's check, and enough beside it. */
const GAS = 2_000_000;

/** Whether what is at `from` takes `signature` for `hash`; an address without code takes none. */
export async function verifyAtProofChecker(from: Hex, hash: Hex, signature: Hex, nodes: EvmNodes = evmNodes()): Promise<SignatureVerdict> {
  const data = encodeDeployData({ abi: checkerAbi, bytecode: checker.bytecode as Hex, args: [from, hash, signature] });
  // A sender that no contract knows: some wallets accept anything from the senders that simulations are made with.
  const call = { from: toHex(randomBytes(20)), data, gas: toHex(GAS) };
  try {
    return (await nodes.callFirst((node) => node.call("eth_call", [call, "latest"], flag))) ? "valid" : "invalid";
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    log().warn({ kind: error.kind, reason: error.message }, "no node of the chain could check a contract wallet's signature");
    return "unavailable";
  }
}
