// Who may send a large body. To read one costs us memory and time before anything can be charged, so the balance is asked first.

import { networkOf } from "@/lib/access/client-address";
import { publicUrl } from "@/lib/base/public-url";
import { readBalance, tellExhausted } from "@/lib/ledger/accounts";
import { bodyRoom, type OpenSpace } from "../http/body-room";
import { addressOf, type Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import { checkProofAlone } from "../proof/proof";
import { readProofHeader } from "../proof/proof-body";
import { hasClaim } from "./idempotency";
import { insufficientBalance, quotePrompt, smallestPrompt } from "./quote";

/** Space for the large bodies of this caller. Opening it @throws AppError INSUFFICIENT_BALANCE, and the refusals of a proof */
export const uploadSpace =
  (request: GatewayRequest, caller: Pick<Caller, "accountId" | "limitedAs">): OpenSpace =>
  async (mostBytes, gone) => {
    const isFunded = await isPaidFromBalance(request, caller);
    return bodyRoom().open({ account: caller.limitedAs, network: networkOf(addressOf(request)), isFunded }, mostBytes, gone);
  };

/** False without a balance for a request that comes with a payment, or that may have been answered and charged before. */
async function isPaidFromBalance({ headers }: GatewayRequest, { accountId }: Pick<Caller, "accountId">): Promise<boolean> {
  const least = quotePrompt(smallestPrompt());
  const { available } = await readBalance(accountId);
  if (available >= least.ceiling) return true;
  const proof = headers["payment-proof"];
  if (proof !== undefined) {
    await checkProofAlone(readProofHeader(proof), accountId);
    return false;
  }
  const key = headers["idempotency-key"];
  if (key !== undefined && (await hasClaim(accountId, key))) return false;
  await tellExhausted(accountId, least.ceiling);
  throw insufficientBalance(available, least, `${publicUrl()}/deposit`);
}
