// Withdrawals that a contract wallet signed: while nodes are asked about its signature nobody else waits, and the signer trusts nobody but
// itself about it.

import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import { readHead } from "@/lib/chains/evm/head";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { contractWallets } from "@/lib/chains/evm/testing/contract-wallets";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { signer } from "../custody/signer";
import { checkWithdrawals } from "./check";
import { payWithdrawals } from "./pay-withdrawals";
import { type KeyWallet, link, newKeyWallet, newOwner, ordered, signOrder, startWorld, USD, untilFinal, type World } from "./testing/world";
import { readBaseFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
let node: Awaited<ReturnType<typeof startFaultyNode>>;
let onCheck: () => Fault | null = () => null;
beforeAll(async () => {
  world = await startWorld();
  // Only the check of a signature is a call from somebody, and to nobody.
  node = await startFaultyNode(world.evm.url(), ({ method, params: [call] }) =>
    method === "eth_call" && "from" in (call as object) && !("to" in (call as object)) ? onCheck() : null,
  );
  setSandboxEvmNodes([node.url]);
  await world.fillTreasury("base", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(async () => {
  await node?.close();
  await world?.stop();
});
afterEach(async () => {
  onCheck = () => null;
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
});

/** A contract wallet of `key`, linked to a new account. */
async function newContractOwner() {
  const [owner, key] = [await newOwner(50n * USD), newKeyWallet("evm")];
  const address = newAddress();
  const setOwner = ({ address: of }: KeyWallet) =>
    world.evm.client.setCode({ address, bytecode: contractWallets.ownedBy(of as `0x${string}`) });
  await setOwner(key);
  await link(owner.accountId, { chain: "evm", address }, true);
  return { owner, wish: { amount: USD, destination: address, signer: { ...key, address } }, setOwner };
}

test("while nodes are asked about a contract wallet's signature, nothing is locked that others wait for", async () => {
  const { owner, wish } = await newContractOwner();
  await untilFinal(await ordered(owner, { amount: USD })); // from now on the relayer has its row
  const id = await ordered(owner, wish);
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    onCheck = () => {
      resolve();
      return { until };
    };
  });
  const paying = payWithdrawals();
  await asked;
  try {
    await pool().query("SELECT FROM relay_sender FOR UPDATE NOWAIT");
    await pool().query("SELECT FROM withdrawal WHERE id = $1 FOR UPDATE NOWAIT", [id]);
    const { rows } = await pool().query("SELECT pg_try_advisory_xact_lock(7305003) AS free");
    expect(rows).toEqual([{ free: true }]);
  } finally {
    release();
    await paying;
  }
  await untilFinal(id);
});

test("under the locks no node is asked: the signer has looked at the signature before", async () => {
  const { owner, wish } = await newContractOwner();
  const id = await ordered(owner, wish);
  let asked = 0;
  onCheck = () => {
    asked += 1;
    return null;
  };
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ attempt: 1 });
  expect(asked).toBe(1);
  await untilFinal(id);
});

test("a signature that the signer found valid counts for a minute, with the same text and wallet alone, and then is looked at again", async () => {
  const { owner, wish, setOwner } = await newContractOwner();
  const [order, other] = [await signOrder(owner, wish), await signOrder(owner, wish)];
  const cost = { nonce: 1, gas: 100_000n, maxFeePerGas: 1n };
  await signer().checkPayout(order);
  await setOwner(newKeyWallet("evm"));
  const refused = { name: "PayoutRefused", refusal: "signature" };
  await expect(signer().signPayoutOnBase(other, cost)).rejects.toMatchObject(refused);
  await expect(signer().signPayoutOnBase({ ...order, amount: other.amount, nonce: other.nonce }, cost)).rejects.toMatchObject(refused);
  await expect(signer().signPayoutOnBase({ ...order, signature: other.signature }, cost)).rejects.toMatchObject(refused);
  await expect(signer().signPayoutOnBase(order, cost)).resolves.toBeDefined();
  const atMs = Date.now();
  onTestFinished(setClock(() => atMs + 61_000));
  await expect(signer().signPayoutOnBase(order, cost)).rejects.toMatchObject(refused);
});
