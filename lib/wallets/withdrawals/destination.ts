// Validates a destination: an address on the chosen chain that can be a person's wallet, and not one of this service's own. Whether it is
// linked to the account is decided in the database, together with the balance.

import { type Hex, isAddress, zeroAddress } from "viem";
import { type ChainId, walletChainOf } from "@/lib/base/chains";
import { baseChainId } from "@/lib/chains/evm/base";
import { isBlacklisted } from "@/lib/chains/evm/token-state";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { findAccount, type SolanaAccount } from "@/lib/chains/solana/accounts";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount, isOnCurve } from "@/lib/chains/solana/token-address";
import { displayAddress, readWallet, solanaKey } from "@/lib/chains/wallet";
import { prisma } from "@/lib/db/prisma";
import { findCustody } from "../custody/custody";

export type DestinationFault =
  | "malformed"
  /** Its EIP-55 checksum is wrong: at least one letter is a typo. */
  | "checksum"
  | "other_chain"
  /** USDC itself, or another contract or program that would keep the money. */
  | "token"
  /** The treasury, the relayer, or a deposit address. */
  | "own"
  /** On Solana: a program, or an address that only a program can sign for. */
  | "program"
  /** On Solana: a token account, not the wallet that owns it. */
  | "token_account"
  /** Blacklisted by USDC's issuer. */
  | "blacklisted";

export type Destination =
  | { ok: true; address: string /** Solana: the destination has no USDC account yet. */; needsAccount: boolean }
  | { ok: false; fault: DestinationFault };

/**
 * Parses an address from a person or a page, and checks it on the chain.
 * @throws EvmFailure, SolanaUnavailable when no node answers
 */
export async function readDestination(chain: ChainId, text: string): Promise<Destination> {
  const written = text.trim();
  const fault = faultOf(chain, written);
  if (fault) return { ok: false, fault };
  const address = chain === "base" ? written.toLowerCase() : written;
  if (await isOurs(chain, address)) return { ok: false, fault: "own" };
  return chain === "base" ? checkOnBase(address as Hex) : checkOnSolana(address);
}

function faultOf(chain: ChainId, text: string): DestinationFault | null {
  const [isEvm, key] = [readWallet("evm", text) !== null, solanaKey(text)];
  if (chain === "base") {
    if (key) return "other_chain";
    if (!isEvm) return "malformed";
    const isOneCase = /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text);
    if (!isOneCase && !isAddress(text)) return "checksum";
    const address = text.toLowerCase();
    return address === usdcAddress(baseChainId()) || address === zeroAddress ? "token" : null;
  }
  if (isEvm) return "other_chain";
  if (!key) return "malformed";
  return isOnCurve(key) ? null : "program";
}

async function isOurs(chain: ChainId, address: string): Promise<boolean> {
  const custody = await findCustody();
  const own = custody && [custody.treasury.base.toLowerCase(), custody.relayer.base.toLowerCase(), custody.treasury.solana];
  if (own?.includes(address)) return true;
  const shown = displayAddress({ chain: walletChainOf(chain), address });
  const where = chain === "base" ? { baseAddress: shown } : { OR: [{ solanaOwner: shown }, { solanaTokenAccount: shown }] };
  // The pool first: an address assigned between the two reads is found by the second.
  return (await prisma().addressPool.count({ where })) + (await prisma().custodialWallet.count({ where })) > 0;
}

const checkOnBase = async (address: Hex): Promise<Destination> =>
  (await isBlacklisted(address)) ? { ok: false, fault: "blacklisted" } : { ok: true, address, needsAccount: false };

const SYSTEM_PROGRAM = "11111111111111111111111111111111";

async function checkOnSolana(address: string): Promise<Destination> {
  const custody = await findCustody();
  if (!custody) throw new Error("This database has no seed yet, so there is no USDC to pay out.");
  if (address === custody.usdcMint) return { ok: false, fault: "token" };
  const nodes = solanaNodes();
  const account = await findAccount(nodes, address);
  if (account && account.owner !== SYSTEM_PROGRAM) return { ok: false, fault: account.isToken ? "token_account" : "program" };
  const tokens = await findAccount(nodes, deriveTokenAccount(address, custody.usdcMint));
  return { ok: true, address, needsAccount: !isUsable(tokens) };
}

const isUsable = (tokens: SolanaAccount | null): boolean => tokens?.isToken === true;
