// The demo wallet of a sandbox: an EVM and a Solana wallet that sign automatically, so that a person without an extension can try
// everything. Only the sandbox sets it; live mode has none, and nothing here can create one.

import { z } from "zod";
import { processSingleton } from "@/lib/base/process-singleton";
import { settlementAddress } from "@/lib/chains/evm/settlement";
import type { WalletChain } from "@/lib/chains/wallet";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { findCustody } from "@/lib/wallets/custody/custody";
import { isOrderText } from "@/lib/wallets/custody/withdrawal-order";
import type { Owner } from "./owner";
import { isProofText } from "./payments/payment-proof";
import { ownDomain } from "./sign-in/same-origin";
import type { DemoTransfer } from "./views/wallet";

export interface DemoSigner {
  address: string;
  /** @returns hex on EVM chains, base58 on Solana */
  sign: (text: string) => Promise<string>;
}

type DemoSigners = Readonly<Record<WalletChain, DemoSigner>>;

/** A transaction that a page requests from the demo wallet, as its library wrote it. */
export const demoTransferForm = z.discriminatedUnion("chain", [
  z.object({ chain: z.literal("evm"), to: z.string().max(42), data: z.string().max(1_000), value: z.string().max(66).optional() }),
  /** base64 */
  z.object({ chain: z.literal("solana"), transaction: z.base64().max(2_000) }),
]);

/** The addresses that a transfer may go to, and the contract that an approval may name. */
export interface DemoReceivers {
  base: string;
  solana: string;
  /** The settlement contract; null where there is none. */
  settlement: string | null;
  /** The mint of USDC on Solana. */
  usdcMint: string;
}

/**
 * Sends a USDC transfer or a USDC approval on the EVM chain, and resolves with its hash; or signs a transfer on Solana and resolves
 * with the signature, base58. Null for any other transaction or address.
 */
export type PayDemo = (transfer: DemoTransfer, to: DemoReceivers) => Promise<string | null>;

const holder = processSingleton<{ signers?: DemoSigners; pay?: PayDemo }>("demo wallets", () => ({}));

/** Sets or removes this process's demo wallet. Only the sandbox calls this. */
export function setDemoWallets(signers: DemoSigners | undefined, pay?: PayDemo): void {
  Object.assign(holder(), { signers, pay });
}

/** The demo wallet's addresses; null where there is none. */
export function demoWallets(): Record<WalletChain, { address: string }> | null {
  const { signers } = holder();
  return signers ? { evm: { address: signers.evm.address }, solana: { address: signers.solana.address } } : null;
}

/** Signs our texts for signing in, linking, withdrawing and paying, and no others; null also where there is no demo wallet. */
export async function signWithDemoWallet(chain: WalletChain, text: string): Promise<string | null> {
  const signer = holder().signers?.[chain];
  const isOurs = text.startsWith(`${ownDomain()} wants you to sign in with your `) || isOrderText(text) || isProofText(text);
  return signer && isOurs ? signer.sign(text) : null;
}

/**
 * Makes the demo wallet send USDC to the owner's own deposit address, or approve payments; null for any other transaction, and
 * where there is no demo wallet.
 */
export async function payWithDemoWallet({ accountId, isFrozen }: Owner, transfer: DemoTransfer): Promise<string | null> {
  const { pay } = holder();
  if (!pay || isFrozen) return null;
  const [wallet, custody, terms] = await Promise.all([findWallet(accountId), findCustody(), findSettlementTerms()]);
  if (!wallet || !custody) return null;
  const settlement = terms && settlementAddress(terms);
  return pay(transfer, { base: wallet.baseAddress, solana: wallet.solanaAddress, settlement, usdcMint: custody.usdcMint });
}
