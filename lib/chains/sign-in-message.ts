// The text that a wallet signs to prove its owner: EIP-4361 on EVM chains, the same format with another name on Solana (Sign-In With
// Solana). Wallets parse it, show its fields, and warn when its domain is not the page's.

import { config } from "@/lib/base/config";
import { baseChainId } from "./evm/base";
import { displayAddress, type Wallet, type WalletChain } from "./wallet";

export interface SignInFields {
  wallet: Wallet;
  /** Host and port of the requesting page. */
  domain: string;
  uri: string;
  /** One line in plain words. */
  statement: string;
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
  /** The chain in another protocol's spelling. */
  chainId?: string;
}

/** The input of Wallet Standard's `solana:signIn`; wallets create the same text from it. */
export interface SolanaSignInInput {
  domain: string;
  address: string;
  statement: string;
  uri: string;
  version: "1";
  chainId: string;
  nonce: string;
  issuedAt: string;
  expirationTime: string;
}

/** The field in which a returned text differs from the issued one. */
export type MessageField = "domain" | "uri" | "chain_id" | "address" | "nonce" | "expiry" | "text";

const networkName: Record<WalletChain, string> = { evm: "Ethereum", solana: "Solana" };

/** The chain ID in the text: texts of another service or another chain are invalid here. */
const chainIdOf = (chain: WalletChain): string => (chain === "evm" ? `${baseChainId()}` : solanaCluster());

// The cluster names that wallets know. A sandbox's chain is private.
const solanaCluster = (): string => (config().MODE === "live" ? "mainnet" : "localnet");

/** The whole text, with \n between lines and none at the end. */
export function writeSignInMessage(fields: SignInFields): string {
  const { wallet, domain, uri, statement, nonce, issuedAt, expiresAt, chainId = chainIdOf(wallet.chain) } = fields;
  return [
    `${domain} wants you to sign in with your ${networkName[wallet.chain]} account:`,
    displayAddress(wallet),
    "",
    statement,
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join("\n");
}

/** The same as fields for `solana:signIn`. */
export function solanaSignInInput({ wallet, domain, uri, statement, nonce, issuedAt, expiresAt }: SignInFields): SolanaSignInInput {
  return {
    domain,
    address: wallet.address,
    statement,
    uri,
    version: "1",
    chainId: solanaCluster(),
    nonce,
    issuedAt: issuedAt.toISOString(),
    expirationTime: expiresAt.toISOString(),
  };
}

const labels: readonly [label: string, field: MessageField][] = [
  ["URI: ", "uri"],
  ["Chain ID: ", "chain_id"],
  ["Nonce: ", "nonce"],
  ["Expiration Time: ", "expiry"],
];

/** The first field in which `sent` differs from the issued text, or null when they are equal. */
export function changedField(given: string, sent: string): MessageField | null {
  if (given === sent) return null;
  const [givenLines, sentLines] = [given.split("\n"), sent.split("\n")];
  if (givenLines[0] !== sentLines[0]) return "domain";
  if (givenLines[1] !== sentLines[1]) return "address";
  const changed = labels.find(([label]) => lineWith(label, givenLines) !== lineWith(label, sentLines));
  return changed?.[1] ?? "text";
}

const lineWith = (label: string, lines: readonly string[]): string | undefined => lines.findLast((line) => line.startsWith(label));
