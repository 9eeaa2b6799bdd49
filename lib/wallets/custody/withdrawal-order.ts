// A withdrawal order and its text, which the owner's wallet shows and signs. The text is built from the order's fields wherever it is
// requested, accepted or paid, and the signer trusts nothing else.

import { type Hex, keccak256, toBytes } from "viem";
import { type ChainId, walletChainOf } from "@/lib/base/chains";
import { DAY_MS } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, usdText } from "@/lib/base/money";
import { baseChainId } from "@/lib/chains/evm/base";
import type { SignatureVerdict } from "@/lib/chains/evm/contract-wallet";
import { verifySignature } from "@/lib/chains/verify-signature";
import { displayAddress, type Wallet } from "@/lib/chains/wallet";

export interface Order {
  accountId: AccountId;
  chain: ChainId;
  /** Lower-case hex on Base; on Solana the owner of the token account, base58. */
  destination: string;
  /** The amount that arrives, and the fee on top of it: whole USDC base units. */
  amount: NanoUsd;
  fee: NanoUsd;
  /** Solana: the destination has no USDC account yet, and the fee includes creating it. */
  opensAccount: boolean;
  /** 22 letters and digits, used once. */
  nonce: string;
  issuedAt: Date;
  /** From then on no payout of it is signed. */
  validUntil: Date;
}

export interface SignedOrder extends Order {
  /** The wallet that signed it: any wallet of the account. */
  signer: Wallet;
  /** Hex on EVM chains, base58 on Solana. */
  signature: string;
  /** The operator's, hex, over its approval; null or absent while it has none. */
  operatorSignature?: string | null;
}

/** How long an order may wait for approval, funds or a chain. */
const LIFE_MS = 7 * DAY_MS;

export const endOfOrder = (issuedAt: Date): Date => new Date(issuedAt.getTime() + LIFE_MS);

/** The whole text, with \n between lines and none at the end. */
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

/** The service name is part of the text, so a signature for one deployment is invalid at any other. */
const headingOf = (): string => `${config().SERVICE_NAME} Withdrawal`;

function chainText(chain: ChainId): string {
  if (chain === "base") return `Base (${baseChainId()})`;
  return config().MODE === "live" ? "Solana (mainnet)" : "Solana (localnet)";
}

/** Whether a text is a withdrawal order of this service, in exactly the format of `writeOrderText`. */
export function isOrderText(text: string): boolean {
  const [heading, ...lines] = text.split("\n");
  return heading === headingOf() && lines.length === forms.length && lines.every((line, index) => forms[index]?.test(line));
}

const forms: readonly RegExp[] = [
  /^$/,
  /^Amount: \d+(\.\d+)? USDC$/,
  /^Fee: \d+(\.\d+)? USDC(, with a new token account)?$/,
  /^To: [0-9A-Za-z]{32,44}$/,
  /^Chain: (Base|Solana) \(\w+\)$/,
  /^Account: acc_[0-9A-Za-z]{20}$/,
  /^Nonce: [0-9A-Za-z]{22}$/,
  /^Issued at: \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  /^Valid until: \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
];

/** Whether the order's wallet signed exactly this order. */
export const verifyOrder = (order: SignedOrder): Promise<SignatureVerdict> =>
  verifySignature(order.signer, writeOrderText(order), order.signature);

/**
 * The nonce of the EIP-3009 authorization that pays an order. It is the hash of the signed text, so USDC itself pays each signed text only
 * once, whatever a database says.
 */
export const payoutNonce = (order: Order): Hex => keccak256(toBytes(writeOrderText(order)));
