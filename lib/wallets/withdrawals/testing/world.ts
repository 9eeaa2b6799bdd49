// For tests: both chains, a signer with its treasury, and owners with money and their own wallets.

import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, vi } from "vitest";
import { addIdentity } from "@/lib/access/identities";
import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startUsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { readWallet, type Wallet, type WalletChain } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { credit, fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { runRelay } from "@/lib/relay/run";
import { createDemoKeys, demoSigners } from "@/lib/sandbox/demo-wallets";
import { startTestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { writeApprovalText } from "../../custody/limits/operator-approval";
import { createWords } from "../../custody/mnemonic";
import { openSigner } from "../../custody/seed-signer";
import { setSigner, signer } from "../../custody/signer";
import { startCustody } from "../../custody/start-custody";
import { type SignedOrder, writeOrderText } from "../../custody/withdrawal-order";
import { approveWithdrawal } from "../decisions";
import { payWithdrawals } from "../pay-withdrawals";
import { createOrder, type RequestOutcome, requestWithdrawal } from "../request";
import { findWithdrawal } from "../withdrawal";

export const USD = 1_000_000_000n;

/** Approves withdrawals above the signer's line. */
export const operator = privateKeyToAccount(generatePrivateKey());

/** A signer of the world's seed that has signed nothing yet. */
export const openWorldSigner = (words: string) => openSigner(words, "sandbox", { operator: operator.address });

/** Approves as the operator does. */
export async function approve(id: WithdrawalId): Promise<boolean> {
  const found = await findWithdrawal(id);
  return found !== null && approveWithdrawal(id, await operator.signMessage({ message: writeApprovalText(found) }));
}

/** Chains that advance automatically and fast. The caller stops them. */
export async function startWorld() {
  await openFunding();
  const words = createWords();
  await startCustody(await openWorldSigner(words));
  const [evm, solana] = await Promise.all([
    startUsdcChain({ blockTimeMs: 200 }),
    startTestSolanaChain({ usdcMint: signer().usdcMint, finalityLagSlots: 4 }),
  ]);
  setSandboxEvmNodes([evm.url()]);
  setSandboxSolanaNodes([solana.url], solana.genesisHash);
  const { treasury, relayer } = signer();
  await evm.fundGas(relayer.address);
  await solana.airdrop(treasury.solana, 10_000_000_000n);
  return {
    evm,
    solana,
    /** The signer's mnemonic. */
    words,
    /** Adds USDC, in base units, to the treasury on a chain. */
    fillTreasury: (chain: ChainId, units: bigint) =>
      chain === "base" ? evm.mint(treasury.base as Hex, units) : solana.faucet(treasury.solana, units),
    stop: async () => {
      setSigner(undefined);
      await Promise.all([evm.stop(), solana.remove()]);
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** A wallet with its key, in the form that identities store. */
export interface KeyWallet extends Wallet {
  sign: (text: string) => Promise<string>;
}

export function newKeyWallet(chain: WalletChain): KeyWallet {
  const { address, sign } = demoSigners(createDemoKeys())[chain];
  const wallet = readWallet(chain, address);
  if (!wallet) throw new Error("a new key has an address");
  return { ...wallet, sign };
}

export interface TestOwner {
  accountId: AccountId;
  evm: KeyWallet;
  solana: KeyWallet;
}

/** An account with two wallets that may be paid immediately, and this balance. */
export async function newOwner(balance: bigint): Promise<TestOwner> {
  const owner = { accountId: await fundedAccount(balance), evm: newKeyWallet("evm"), solana: newKeyWallet("solana") };
  for (const wallet of [owner.evm, owner.solana]) await link(owner.accountId, wallet, true);
  return owner;
}

export const link = (accountId: AccountId, { chain, address }: Wallet, isFirst: boolean): Promise<void> =>
  inTransaction((transaction) => addIdentity(accountId, { chain, address }, isFirst, transaction));

export const unlink = ({ chain, address }: Wallet) =>
  pool().query("DELETE FROM identity WHERE chain = $1 AND address = $2", [chain, address]);

interface OrderWish {
  chain?: ChainId;
  amount: bigint;
  destination?: string;
  signer?: KeyWallet;
}

/** A signed order, as the owner's browser sends it. */
export async function signOrder(owner: TestOwner, wish: OrderWish): Promise<SignedOrder> {
  const { chain = "base", amount } = wish;
  const own = chain === "base" ? owner.evm : owner.solana;
  const drawn = await createOrder({
    accountId: owner.accountId,
    chain,
    destination: wish.destination ?? own.address,
    amount: nanoUsd(amount),
  });
  if (!drawn.ok) throw new Error(drawn.reason);
  const signer = wish.signer ?? owner.evm;
  const signature = await signer.sign(writeOrderText(drawn.order));
  return { ...drawn.order, signer: { chain: signer.chain, address: signer.address }, signature };
}

export async function order(owner: TestOwner, wish: OrderWish): Promise<RequestOutcome> {
  return requestWithdrawal(await signOrder(owner, wish));
}

/** Orders a withdrawal that must be accepted; resolves with its id. */
export async function ordered(owner: TestOwner, wish: OrderWish): Promise<WithdrawalId> {
  const outcome = await order(owner, wish);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.id;
}

/** A deposit that is credited but not final. */
export async function creditUnfinal(owner: TestOwner, amount: bigint): Promise<string> {
  const id = `base_${owner.accountId}_${amount}`;
  await credit(owner.accountId, amount, id);
  await pool().query(
    `INSERT INTO deposit (id, chain, account_id, address, amount, block, block_hash, transaction, place, state, seen_at, credited_at)
     VALUES ($1, 'base', $2, $3, $4, 1, '0x', '0x', 0, 'credited', $5, $5)`,
    [id, owner.accountId, owner.evm.address, amount, now()],
  );
  return id;
}

/** As if PostgreSQL had started since a withdrawal was ordered, which it does when a backup is restored. */
export const orderedBeforeStart = (id: WithdrawalId) =>
  pool().query("UPDATE withdrawal SET requested_at = pg_postmaster_start_time() - interval '1 second' WHERE id = $1", [id]);

export const asUsd = (whole: number | bigint): NanoUsd => nanoUsd(BigInt(whole) * USD);

/** Runs rounds of payouts and of the relay until a withdrawal is final. */
export const untilFinal = (id: WithdrawalId) =>
  vi.waitFor(
    async () => {
      await payWithdrawals();
      await runRelay({ resendAfterMs: 0 });
      expect(await findWithdrawal(id)).toMatchObject({ state: "final" });
    },
    { timeout: 30_000, interval: 100 },
  );
