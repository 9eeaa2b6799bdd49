// Where an owner sends USDC, and the state of their deposits.

import { getAddress } from "viem";
import { z } from "zod";
import type { ChainId } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { baseChainId } from "@/lib/chains/evm/base";
import { findUsdc } from "@/lib/chains/evm/usdc";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { type Custody, findCustody, payableMint } from "@/lib/wallets/custody/custody";
import { listDeposits, readUncredited } from "@/lib/wallets/deposits/deposit";
import { findPayableAddresses } from "@/lib/wallets/deposits/payable-addresses";
import { isWatched } from "@/lib/wallets/deposits/watched";
import { readAvailable } from "../owner";
import type { DepositAddress, DepositView } from "../views/deposit";

export { MINIMUM_DEPOSIT } from "@/lib/wallets/deposits/deposit";

/**
 * The account's address on each chain; null for a chain that is not watched, since a deposit there would go unnoticed. Null
 * altogether before the account has a wallet.
 * @throws AppError INTERNAL_ERROR when an address in the database is not the signer's
 */
export async function findDepositAddresses(accountId: AccountId): Promise<Record<ChainId, DepositAddress | null> | null> {
  const [addresses, custody] = await Promise.all([findPayableAddresses(accountId), findCustody()]);
  if (!addresses || !custody) return null;
  const { base, solana } = addresses;
  const isReal = config().MODE === "live";
  return {
    base: base === null ? null : { chain: "base", address: base, paymentUri: isReal ? baseUri(base) : null },
    solana: solana === null ? null : { chain: "solana", address: solana, paymentUri: isReal ? solanaUri(solana, custody) : null },
  };
}

/** EIP-681: a USDC transfer whose amount the payer enters. */
function baseUri(address: string): string | null {
  const chainId = baseChainId();
  const usdc = findUsdc(chainId);
  return usdc && `ethereum:${getAddress(usdc)}@${chainId}/transfer?address=${address}`;
}

/** The same as a Solana Pay link. */
const solanaUri = (address: string, custody: Custody): string => `solana:${address}?spl-token=${payableMint(custody)}`;

const PAGE_ROWS = 25;

/** The page that `before`, an earlier view's `older`, points to; the newest page when it points nowhere. */
export async function readDepositView(accountId: AccountId, before: unknown = null): Promise<DepositView> {
  const after = positionForm.safeParse(before).data;
  const [uncredited, available, found] = await Promise.all([
    readUncredited(accountId),
    readAvailable(accountId),
    listDeposits(accountId, { limit: PAGE_ROWS + 1, after }),
  ]);
  const deposits = found.slice(0, PAGE_ROWS);
  const last = found.length > PAGE_ROWS ? deposits.at(-1) : undefined;
  return { available, deposits, older: last ? `${last.seenAt.getTime()}.${last.id}` : null, uncredited };
}

/** `1796083201000.base_0x…`: when the last deposit of a page was seen, and its id. */
const positionForm = z
  .string()
  .regex(/^\d{1,14}\.[\x21-\x7e]{1,200}$/)
  .transform((text) => {
    const dotAt = text.indexOf(".");
    return { seenAt: new Date(Number(text.slice(0, dotAt))), id: text.slice(dotAt + 1) };
  });

/**
 * The tokens accepted on the watched chains, by their issuer's addresses: the contract on Base and the mint on Solana; none in a sandbox, whose
 * own tokens are worthless.
 */
export function listPayableTokens(): readonly { network: string; token: string }[] {
  if (config().MODE === "sandbox") return [];
  const usdc = isWatched("base") ? findUsdc(baseChainId()) : null;
  return [
    ...(usdc ? [{ network: "Base", token: getAddress(usdc) }] : []),
    ...(isWatched("solana") ? [{ network: "Solana", token: USDC_MINT }] : []),
  ];
}
