// Contract wallets (ERC-1271), deployed or not yet (ERC-6492): the chain runs the check, which is untrusted code. It may revert, loop or
// return garbage; that must not look like a node outage, nor an outage like a refusal.

import { randomBytes } from "node:crypto";
import {
  BaseError,
  type Client,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  size,
  toHex,
} from "viem";
import { log } from "@/lib/base/observe/log";
import { baseClient } from "./base";

/** `unavailable`: no node could check it, so the result is unknown. */
export type SignatureVerdict = "valid" | "invalid" | "unavailable";

/** Verifying a passkey in Solidity takes 0.3 million gas, deploying a wallet up to 2 million. */
const MAX_GAS = 5_000_000;
const KEY_SIGNATURE_BYTES = 65;
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
export async function verifyContractSignature(address: Hex, hash: Hex, signature: Hex): Promise<SignatureVerdict> {
  const client = baseClient();
  // Without a node no contract can be called; a 65-byte signature is then treated as another key's, which it almost always is.
  if (!client) return size(signature) === KEY_SIGNATURE_BYTES ? "invalid" : "unavailable";
  try {
    const isThere =
      signature.endsWith(UNDEPLOYED) || (await client.request({ method: "eth_getCode", params: [address, "latest"] })) !== "0x";
    return isThere && (await isAccepted(client, address, hash, signature)) ? "valid" : "invalid";
  } catch (error) {
    // Not the error itself: it holds the node's URL, which is often a secret.
    const reason = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : "unknown";
    log().warn({ reason }, "no node could check the signature of a contract wallet");
    return "unavailable";
  }
}

async function isAccepted(client: Client, address: Hex, hash: Hex, signature: Hex): Promise<boolean> {
  const check = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  });
  // A random sender: some wallets accept any signature from the addresses that simulations usually use as sender.
  const call = { from: toHex(randomBytes(20)), data: `${guard}${check.slice(2)}` as const, gas: toHex(MAX_GAS) };
  return BigInt(await client.request({ method: "eth_call", params: [call, "latest"] })) === 1n;
}
