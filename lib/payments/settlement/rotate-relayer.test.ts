// The relayer gets another key of the same seed: what the former one sent still ends, each proof stays with the contract that it was signed
// for, and new ones are settled by the new contract.

import type { PrivateKeyAccount } from "viem";
import { parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { settlementAddress } from "@/lib/chains/evm/settlement";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { findRelayed } from "@/lib/relay/relayed";
import { setRelayer } from "@/lib/relay/relayer";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import type { Signer } from "@/lib/wallets/custody/signer";
import { hardhatWords } from "@/lib/wallets/custody/testing/seeds";
import { getClaim, relayIdOf } from "../claims/claim";
import { claim, creditedTo, pay, type SettledChain, signExact, signProof, startSettledChain } from "../testing/settled-chain";
import { deploySettlement } from "./deploy-settlement";
import { settleClaim } from "./settle";
import { findSettlementTerms } from "./settlement-terms";

await openTestDatabase();
let chain: SettledChain;
let former: Signer;
let next: Signer;
beforeAll(async () => {
  chain = await startSettledChain();
  former = chain.signer;
  next = await openSigner(hardhatWords, "sandbox", { relayerIndex: 1 });
  await chain.fundGas(next.relayer.address);
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  await use(former);
  await chain.recordFinal();
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

/** What the start of the process with the seed does. */
async function use(signer: Signer): Promise<void> {
  setRelayer(signer.relayer);
  await writeSettlementParties({ treasury: signer.treasury.base, relayer: signer.relayer.address });
  forgetSingleton("settlement terms"); // it is read again after some seconds
}

async function rotate(): Promise<SettledChain["terms"]> {
  await use(next);
  const terms = await findSettlementTerms();
  if (!terms) throw new Error("there are no terms of settlement");
  await deploySettlement(terms);
  return terms;
}

async function approve(payer: PrivateKeyAccount, spender: `0x${string}`): Promise<void> {
  const abi = parseAbi(["function approve(address, uint256) returns (bool)"]);
  const hash = await chain.client.writeContract({
    account: payer,
    address: chain.usdc,
    abi,
    functionName: "approve",
    args: [spender, 10n ** 9n],
  });
  await chain.client.waitForTransactionReceipt({ hash });
}

test("a proof under way keeps its contract, ends with its one credit, and becomes final", async () => {
  const terms = await signProof(chain, await chain.newPayer(100n), { cents: 7n });
  await chain.client.setAutomine(false);
  const claimed = await claim(terms);
  expect(await settleClaim(claimed, 300)).toEqual({ kind: "pending" });
  await use(next);
  expect(await settleClaim(claimed, 300)).toEqual({ kind: "pending" });
  await chain.client.setAutomine(true);
  await chain.mine(1);
  expect(await settleClaim(claimed, 30_000)).toMatchObject({ kind: "paid" });
  await pay(terms);
  await chain.recordFinal();
  expect(await getClaim(claimed.id)).toMatchObject({ state: "paid", isFinal: true });
  expect(await findRelayed([relayIdOf(claimed)])).toMatchObject([{ state: "succeeded", isFinal: true }]);
  expect(await creditedTo(`credit:${terms.network}:${terms.payer}`)).toEqual([70_000_000n]);
});

test("a proof for the former contract that was not sent is refused with what to do, and moves nothing", async () => {
  const payer = await chain.newPayer(100n);
  const claimed = await claim(await signProof(chain, payer, { cents: 7n }));
  await rotate();
  const settled = await settleClaim(claimed, 10_000);
  expect(settled).toMatchObject({
    kind: "failed",
    reason: "settlement_failed",
    message: expect.stringContaining("now uses another payment contract"),
  });
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000n);
});

test("new proofs are settled by the new contract once their payer approved it, and x402 needs nothing", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await rotate();
  const contract = settlementAddress(terms);
  expect(contract).not.toBe(chain.contract);
  const unapproved = await settleClaim(await claim(await signProof({ ...chain, terms }, payer, { cents: 7n })), 10_000);
  expect(unapproved).toMatchObject({ kind: "failed", reason: "allowance_too_low", message: expect.stringContaining(contract) });
  await approve(payer, contract);
  const paid = await pay(await signProof({ ...chain, terms }, payer, { cents: 7n }));
  const receipt = await chain.client.getTransactionReceipt({ hash: paid.transaction as `0x${string}` });
  expect([receipt.from, receipt.to]).toEqual([next.relayer.address.toLowerCase(), contract]);
  const exact = await pay((await signExact({ ...chain, terms }, payer)).terms);
  expect(exact).toMatchObject({ state: "paid" });
});
