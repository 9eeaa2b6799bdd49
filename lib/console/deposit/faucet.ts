// The faucet of a sandbox, for its owner: it sends test USDC over the sandbox's own chains to the owner's deposit address, where it is
// found like any deposit. Only the sandbox sets it; live mode has none, and nothing here can create one.

import { z } from "zod";
import { type ChainId, chainIds, chainName, walletChainOf } from "@/lib/base/chains";
import type { AccountId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { processSingleton } from "@/lib/base/process-singleton";
import { readWallet } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { frozenRefusal, refuse } from "../answer";
import type { Owner } from "../owner";
import type { Answer } from "../views/answer";

/** What the faucet's buttons send. `wallet` gets the money itself, to pay per request; without it the account's deposit address does. */
export const faucetForm = z.object({ chain: z.enum(chainIds), wallet: z.string().max(64).optional() });

export interface FaucetWish {
  accountId: AccountId;
  chain: ChainId;
  /** The account's own deposit address on that chain, or the wallet that asked. */
  to: string;
  /** A wallet of this chain that gets a little of the chain's coin, for its fees; null: none. */
  payer: string | null;
}

export type FaucetAnswer =
  /** The transaction is on the chain. */
  | { kind: "given"; transaction: string }
  /** The account has used up today's requests. */
  | { kind: "used_up" }
  /** The chain is starting or restarting: nothing was given. */
  | { kind: "away" }
  /** The chain did not confirm the transaction. */
  | { kind: "unknown" }
  /** The chain refused: nothing was given. */
  | { kind: "failed" };

export interface Faucet {
  /** The amount of one request. */
  amount: NanoUsd;
  /** How many requests an account has per day (UTC). */
  timesADay: number;
  give: (wish: FaucetWish) => Promise<FaucetAnswer>;
  /** Whether something was sent to the account, which its deposits may not show yet. */
  hasGiven: (accountId: AccountId, database: Database) => Promise<boolean>;
}

const holder = processSingleton<{ faucet?: Faucet }>("sandbox faucet", () => ({}));

/** Sets or removes this process's faucet. Only the sandbox calls this. */
export function setFaucet(faucet: Faucet | undefined): void {
  holder().faucet = faucet;
}

/** Whether the faucet has sent this account something. */
export const hasFaucetGift = async (accountId: AccountId, database: Database = prisma()): Promise<boolean> =>
  (await holder().faucet?.hasGiven(accountId, database)) ?? false;

/** The amount of one request, nano-USD; null where there is no faucet. */
export const faucetAmount = (): NanoUsd | null => holder().faucet?.amount ?? null;

/** Sends the owner test USDC; `transaction` is its id on the chain. */
export async function requestFaucet(
  { accountId, isFrozen, wallet: signedIn }: Owner,
  chain: ChainId,
  walletAddress?: string,
): Promise<Answer<{ amount: NanoUsd; transaction: string }>> {
  const { faucet } = holder();
  if (!faucet) return refuse("Test USDC is only available in a sandbox. Deposit USDC to one of your addresses.");
  if (isFrozen) return frozenRefusal();
  const wallet = await findWallet(accountId);
  if (!wallet) return refuse("Your deposit addresses are not ready yet. Reload this page in a minute.");
  const walletChain = walletChainOf(chain);
  const receiver = walletAddress === undefined ? null : readWallet(walletChain, walletAddress);
  if (walletAddress !== undefined && !receiver) return refuse(`This is not an address on ${chainName(chain)}.`);
  const own = chain === "base" ? wallet.baseAddress : wallet.solanaAddress;
  const payer = receiver ?? (signedIn.chain === walletChain ? signedIn : null);
  const answer = await faucet.give({ accountId, chain, to: receiver?.address ?? own, payer: payer?.address ?? null });
  switch (answer.kind) {
    case "given":
      return { ok: true, amount: faucet.amount, transaction: answer.transaction };
    case "used_up": {
      return refuse(`You’ve reached today’s limit of ${faucet.timesADay} requests for test USDC. Try again after midnight UTC.`);
    }
    case "away":
      return refuse(`The sandbox's ${chainName(chain)} network is still starting. Nothing was sent. Try again in a few seconds.`);
    case "unknown":
      return refuse(
        `The sandbox's ${chainName(chain)} network did not answer in time. If the transfer went through, the USDC arrives within a minute.`,
      );
    case "failed":
      return refuse(`The sandbox's ${chainName(chain)} network rejected the transfer. Nothing was sent. See the service's log.`);
  }
}
