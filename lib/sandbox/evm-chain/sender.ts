// Sends calls of test USDC from a sandbox key, one at a time, since each takes the next nonce. Another process with the same key may take
// that nonce first: then the call is signed again with the next one.

import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes, bytes32, quantity, wei } from "@/lib/chains/evm/wire";
import { fundGas } from "./gas";

/**
 * Sends a call of the token, and resolves with the transaction's hash once it is mined.
 * @throws Error when the token refuses it, or the node is down
 * @throws UnknownOutcome when it was sent and no response came
 */
export type Sender = (node: EvmNode, data: Hex) => Promise<Hex>;

/** The node received the transaction but did not report its outcome. */
export class UnknownOutcome extends Error {}

const GAS = 200_000n;
/** One gwei. The node's suggestion is not used: it repeats earlier tips. */
const TIP = 10n ** 9n;
const MAX_ATTEMPTS = 20;
/** Each transaction is mined immediately. */
const MAX_WAIT_MS = 5_000;
const LOOKED_FOR_EVERY_MS = 20;
const SURELY_MISSED = 10;
const receiptForm = z.object({ status: z.enum(["0x0", "0x1"]) }).nullable();

interface Signed {
  raw: Hex;
  sender: Hex;
  nonce: number;
}

export function createSender(key: Hex, chainId: number): Sender {
  const account = privateKeyToAccount(key);
  let last: Promise<unknown> = Promise.resolve();

  async function sign(node: EvmNode, data: Hex): Promise<Signed> {
    const [nonce, { baseFeePerGas }] = await Promise.all([
      node.call("eth_getTransactionCount", [account.address, "pending"], quantity),
      node.call("eth_getBlockByNumber", ["latest", false], z.object({ baseFeePerGas: wei })),
    ]);
    const fees = { maxFeePerGas: 2n * baseFeePerGas + TIP, maxPriorityFeePerGas: TIP };
    const raw = await account.signTransaction({ type: "eip1559", chainId, nonce, ...fees, gas: GAS, to: usdcOnBase, data });
    return { raw, sender: account.address, nonce };
  }

  async function send(node: EvmNode, data: Hex): Promise<Hex> {
    // Simulated first, since a failed transaction does not say why.
    await node.call("eth_call", [{ from: account.address, to: usdcOnBase, data }, "latest"], bytes);
    await fundGas(node, account.address);
    for (let attempt = 1; ; attempt++) {
      const sent = await broadcast(node, await sign(node, data));
      if (sent) return sent;
      if (attempt === MAX_ATTEMPTS) throw new Error("Other processes took each nonce of this key: try again.");
    }
  }

  return (node, data) => {
    const sent = last.then(() => send(node, data));
    last = sent.catch(() => undefined); // the caller gets the error; the queue continues
    return sent;
  };
}

/** The hash once it is mined; null when another transaction took the nonce. */
async function broadcast(node: EvmNode, signed: Signed): Promise<Hex | null> {
  const hash = keccak256(signed.raw);
  try {
    await node.call("eth_sendRawTransaction", [signed.raw], bytes32);
    return (await waitFor(node, signed)) ? hash : null;
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    // The same call from two processes is one transaction, which only one of them has sent.
    if (/nonce too low|underpriced|already (imported|known)/i.test(error.message)) return null;
    if (error.kind === "rejected") throw error;
    throw new UnknownOutcome("the sandbox's EVM chain did not say what became of a transaction", { cause: error });
  }
}

/** True once it is mined; false when another transaction with its nonce paid more and was mined. */
async function waitFor(node: EvmNode, { raw, sender, nonce }: Signed): Promise<boolean> {
  const hash = keccak256(raw);
  let timesMissed = 0;
  for (const untilMs = nowMs() + MAX_WAIT_MS; nowMs() < untilMs; await sleep(LOOKED_FOR_EVERY_MS)) {
    const next = await node.call("eth_getTransactionCount", [sender, "latest"], quantity);
    const receipt = await node.call("eth_getTransactionReceipt", [hash], receiptForm);
    if (receipt?.status === "0x0") throw new Error(`A transaction of test USDC failed: ${hash}`);
    if (receipt) return true;
    // The node counts a transaction slightly before it shows its block.
    if (next > nonce) timesMissed += 1;
    if (timesMissed === SURELY_MISSED) return false;
  }
  throw new UnknownOutcome(`the sandbox's EVM chain has not put ${hash} into a block`);
}
