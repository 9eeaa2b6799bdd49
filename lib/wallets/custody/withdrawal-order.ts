// A withdrawal as its owner orders it: the text that their wallet shows and signs, written from the order's own fields by
// whoever asks for the signature, whoever takes it, and the signer, who believes nothing else.

import { type Hex, keccak256, toBytes } from "viem";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, usdText } from "@/lib/base/money";
import { baseChainId } from "@/lib/chains/evm/base";
import type { SignatureVerdict } from "@/lib/chains/evm/contract-wallet";
import { verifySignature } from "@/lib/chains/verify-signature";
import { displayAddress, type Wallet, type WalletChain } from "@/lib/chains/wallet";

export type WithdrawalChain = "base" | "solana";

export interface Order {
  accountId: AccountId;
  chain: WithdrawalChain;
  /** Lower-case hex on Base; on Solana the owner of the token account, base58. */
  destination: string;
  /** What arrives, and what is paid beside it: whole units of USDC. */
  amount: NanoUsd;
  fee: NanoUsd;
  /** Solana: the destination has no account for USDC yet, and the fee is for one too. */
  opensAccount: boolean;
  /** 22 letters and digits, used once. */
  nonce: string;
  issuedAt: Date;
  /** From then on nobody signs a payout of it. */
  validUntil: Date;
}

export interface SignedOrder extends Order {
  /** The wallet that signed it: any of the account's. */
  signer: Wallet;
  /** Hex on EVM chains, base58 on Solana. */
  signature: string;
}

/** How long an order may wait to be paid: for approval, for funds, for a chain. */
const LIFE_MS = 7 * 24 * 3_600_000;

export const endOfOrder = (issuedAt: Date): Date => new Date(issuedAt.getTime() + LIFE_MS);

/** The kind of wallet that lives on a chain. */
export const walletChainOf = (chain: WithdrawalChain): WalletChain => (chain === "base" ? "evm" : "solana");

/** The whole text, lines ended by \n, none after the last. */
export function writeOrderText(order: Order): string {
  const destination = displayAddress({ chain: walletChainOf(order.chain), address: order.destination });
  return [
    headingOf(),
    "",
    `Amount: ${usdText(order.amount)} USDC`,
    `Fee: ${usdText(order.fee)} USDC${order.opensAccount ? ", with a new token account" : ""}`,
    `To: ${destination}`,
    `Chain: ${chainText(order.chain)}`,
    `Account: ${order.accountId}`,
    `Nonce: ${order.nonce}`,
    `Issued at: ${order.issuedAt.toISOString()}`,
    `Valid until: ${order.validUntil.toISOString()}`,
  ].join("\n");
}

/** Another service word makes another text: what is signed for one deployment counts at no other. */
const headingOf = (): string => `${config().SERVICE_NAME} Withdrawal`;

function chainText(chain: WithdrawalChain): string {
  if (chain === "base") return `Base (${baseChainId()})`;
  return config().MODE === "live" ? "Solana (mainnet)" : "Solana (localnet)";
}

/** Whether a text asks for a withdrawal from this service, in exactly the form that `writeOrderText` gives it. */
export function isOrderText(text: string): boolean {
  const [heading, ...lines] = text.split("\n");
  return heading === headingOf() && lines.length === forms.length && lines.every((line, index) => forms[index]?.test(line));
}

const moment = "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z";
const forms: readonly RegExp[] = [
  /^$/,
  /^Amount: \d+(\.\d+)? USDC$/,
  /^Fee: \d+(\.\d+)? USDC(, with a new token account)?$/,
  /^To: [0-9A-Za-z]{32,44}$/,
  /^Chain: (Base|Solana) \(\w+\)$/,
  /^Account: acc_[0-9A-Za-z]{20}$/,
  /^Nonce: [0-9A-Za-z]{22}$/,
  new RegExp(`^Issued at: ${moment}$`),
  new RegExp(`^Valid until: ${moment}$`),
];

/** Whether the order's own wallet signed this very order. */
export const verifyOrder = (order: SignedOrder): Promise<SignatureVerdict> =>
  verifySignature(order.signer, writeOrderText(order), order.signature);

/**
 * The nonce of the EIP-3009 authorization that pays an order. It follows from all that was signed, so USDC itself lets one signed
 * text be paid once, whatever a database says.
 */
export const payoutNonce = (order: Order): Hex => keccak256(toBytes(writeOrderText(order)));
