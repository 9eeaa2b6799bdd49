// Paying per request, as its owner sees it: the payments, the credit left of them, and where it is.

import { z } from "zod";
import { findSigningAccountOf, listIdentities } from "@/lib/access/identities";
import { walletChainOf } from "@/lib/base/chains";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { transactionUrl } from "@/lib/chains/explorer";
import { paymentFailures } from "@/lib/chains/payment-failure";
import { displayAddress, type Wallet } from "@/lib/chains/wallet";
import { readChargedCosts } from "@/lib/ledger/receipt";
import type { PaymentId, PaymentState } from "@/lib/payments/claims/claim";
import { claimCredit, readCredit } from "@/lib/payments/claims/credits";
import { chainOfNetwork, networkOf } from "@/lib/payments/claims/networks";
import { type ListedPayment, listPayments } from "@/lib/payments/claims/payment-list";
import { frozenRefusal, refuse } from "../answer";
import { type Owner, shownWallet } from "../owner";
import type { Answer } from "../views/answer";
import type { OwnCredit, PaymentsPage, PaymentView } from "../views/payments";
import { findPaymentsOffer } from "./payment-target";

const PAGE_ROWS = 25;

/** With the payments that `before`, an earlier page's `older`, points to; the newest ones when it points nowhere. */
export async function readPaymentsPage(owner: Owner, before: unknown = null): Promise<PaymentsPage> {
  const wallets = await listWallets(owner);
  const [offer, credits, found] = await Promise.all([
    findPaymentsOffer(),
    readOwnCredits(wallets),
    listPayments(owner.accountId, wallets, { limit: PAGE_ROWS + 1, after: positionForm.safeParse(before).data }),
  ]);
  const shown = found.slice(0, PAGE_ROWS);
  const last = found.length > PAGE_ROWS ? shown.at(-1) : undefined;
  return { offer, credits, payments: await viewsOf(owner, shown), older: last ? `${last.claimedAt.getTime()}.${last.id}` : null };
}

const listWallets = async ({ accountId }: Owner): Promise<Wallet[]> => (await listIdentities(accountId)).map(({ wallet }) => wallet);

/** `1796083201000.pay_…`: when the last payment of a page was claimed, and its id. */
const positionForm = z
  .string()
  .regex(/^\d{1,14}\.pay_[0-9A-Za-z]{20}$/)
  .transform((text) => {
    const [claimedAtMs, id] = text.split(".");
    return { claimedAt: new Date(Number(claimedAtMs)), id: id as PaymentId };
  });

async function readOwnCredits(wallets: readonly Wallet[]): Promise<OwnCredit[]> {
  const credits = await Promise.all(
    wallets.map(async ({ chain, address }) => ({
      ...shownWallet({ chain, address }),
      amount: await readCredit(networkOf(chain), address),
    })),
  );
  return credits.filter(({ amount }) => amount > 0n);
}

async function viewsOf({ accountId }: Owner, payments: readonly ListedPayment[]): Promise<PaymentView[]> {
  const requests = payments.flatMap(({ creditedAccount, requestId }) =>
    creditedAccount && requestId ? [{ accountId: creditedAccount, requestId }] : [],
  );
  const costs = await readChargedCosts(requests);
  return payments.map(({ scheme, network, payer, creditedAccount, failure, ...payment }) => {
    const chain = chainOfNetwork(network);
    const cost = payment.requestId ? (costs.get(payment.requestId) ?? null) : isOver(payment.state) ? ZERO_USD : null;
    return {
      ...payment,
      chain,
      cost,
      isX402: scheme !== "proof",
      failure: failure && paymentFailures[failure],
      payer: displayAddress({ chain: walletChainOf(chain), address: payer }),
      change: payment.state === "paid" && cost !== null ? nanoUsd(payment.amount - cost) : null,
      changeBelongsTo: creditedAccount === accountId ? "account" : "address",
      transactionUrl: payment.transaction && transactionUrl(chain, payment.transaction),
    };
  });
}

const isOver = (state: PaymentState): boolean => state !== "claimed";

/** Moves the amount that one of the owner's wallets has overpaid to the balance. */
export async function claimOwnCredit(owner: Owner, { chain, address }: Wallet): Promise<Answer<{ amount: NanoUsd }>> {
  if (owner.isFrozen) return frozenRefusal();
  const own = (await listWallets(owner)).find((wallet) => wallet.chain === chain && displayAddress(wallet) === address);
  if (!own || (await findSigningAccountOf(own)) !== owner.accountId) return refuse("That wallet is not linked to this account.");
  const amount = await claimCredit(owner.accountId, own);
  return amount > 0n ? { ok: true, amount } : refuse("There is no credit left. It was already spent or moved.");
}
