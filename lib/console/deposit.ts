// Where an owner sends USDC to, and what has come of it.

import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, type NanoUsd } from "@/lib/base/money";
import { baseChainId } from "@/lib/chains/evm/base";
import { findWallet } from "@/lib/wallets/custodial-wallet";
import { findCustody, payableMint } from "@/lib/wallets/custody";

export type DepositChain = "base" | "solana";

/** What people pay in at the least; less is kept and credited once it adds up to this. */
export const MINIMUM_DEPOSIT = fromCents(100);

export interface DepositAddress {
  chain: DepositChain;
  address: string;
  /**
   * What a wallet opens to pay in (EIP-681, Solana Pay). Null where a chain is simulated, so that no link and no QR code ever
   * leads real money to an address of a sandbox, and on chains whose USDC we do not know.
   */
  paymentUri: string | null;
}

export interface Deposit {
  id: string;
  chain: DepositChain;
  amount: NanoUsd;
  state: "seen" | "confirming" | "credited" | "below_minimum" | "reversed";
  confirmations: number;
  confirmationsNeeded: number;
  transaction: string;
  /** Shows the transaction on the chain; null where the chain is simulated. */
  transactionUrl: string | null;
  seenAt: Date;
}

/** USDC by the number of its EVM chain. Source: https://developers.circle.com/stablecoins/usdc-contract-addresses */
const usdcOf: Readonly<Record<number, string>> = { 8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" };

/**
 * The account's two addresses; null before it has a wallet.
 * @throws AppError INTERNAL_ERROR when what the database holds is not what the signer made
 */
export async function findDepositAddresses(accountId: AccountId): Promise<Record<DepositChain, DepositAddress> | null> {
  const [wallet, custody] = await Promise.all([findWallet(accountId), findCustody()]);
  if (!wallet || !custody) return null;
  const { baseAddress, solanaAddress } = wallet;
  const isReal = config().MODE === "live";
  return {
    base: { chain: "base", address: baseAddress, paymentUri: isReal ? baseUri(baseAddress) : null },
    solana: {
      chain: "solana",
      address: solanaAddress,
      paymentUri: isReal ? `solana:${solanaAddress}?spl-token=${payableMint(custody)}` : null,
    },
  };
}

/** EIP-681: a transfer of USDC, whose amount the payer writes. */
function baseUri(address: string): string | null {
  const chainId = baseChainId();
  const usdc = usdcOf[chainId];
  return usdc ? `ethereum:${usdc}@${chainId}/transfer?address=${address}` : null;
}

/** Real money is invited only where the chains are watched for it, which they are not yet. */
export const areDepositsOpen = (): boolean => config().MODE === "sandbox";

/** The account's deposits, newest first. Nothing watches the chains yet, so there are none. */
export async function listDeposits(_accountId: AccountId): Promise<Deposit[]> {
  return [];
}
