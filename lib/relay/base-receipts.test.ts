// One node's receipt of a transaction that was signed several times: the one that stands, and a node that answers for itself alone.

import type { Hex } from "viem";
import { expect, test } from "vitest";
import { EvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import { createNodes } from "@/lib/chains/evm/nodes";
import { findStanding } from "./base-receipts";

const sender: Hex = `0x${"a".repeat(40)}`;
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const nodes = createNodes({ urls: [], chainId: 1 });

const receiptOf = (transactionHash: Hex, blockHash: Hex) => ({
  transactionHash,
  blockHash,
  blockNumber: "0x5",
  from: sender,
  status: "0x1",
  gasUsed: "0x1",
  effectiveGasPrice: "0x1",
});

/** Answers both lookups from `receipts`; its block 5 is the one with the hash 5. */
function nodeWith(receipts: Readonly<Record<Hex, unknown>>): EvmNode {
  const block = { number: "0x5", hash: hashOf("5"), parentHash: hashOf("4"), timestamp: "0x1" };
  return {
    name: "node 1 of 1",
    call: async (method, [which], answer) =>
      answer.parse(method === "eth_getTransactionReceipt" ? (receipts[which as Hex] ?? null) : block),
  };
}

test("a receipt whose block has left the chain hides none that stands under an older hash", async () => {
  const [older, newer] = [hashOf("1"), hashOf("2")];
  const node = nodeWith({ [newer]: receiptOf(newer, hashOf("9")), [older]: receiptOf(older, hashOf("5")) });
  expect(await findStanding({ sender, hashes: [newer, older] }, node, nodes)).toMatchObject({ txHash: older });
  expect(await findStanding({ sender, hashes: [newer] }, node, nodes)).toBeNull();
});

test("a node that refuses to be asked for a receipt fails by itself, so that the next one is asked", async () => {
  const node: EvmNode = { name: "node 1 of 1", call: () => Promise.reject(new EvmFailure("rejected", "invalid params")) };
  await expect(findStanding({ sender, hashes: [hashOf("1")] }, node, nodes)).rejects.toMatchObject({ kind: "failing" });
});
