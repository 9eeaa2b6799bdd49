// Withdrawing, as its owner sees and does it: the amount that can leave and where to, the order that a wallet signs, and its outcome.

import { z } from "zod";
import { countAttempt, countChallenge } from "@/lib/access/challenge-limit";
import { type ChainId, walletChainOf } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import type { WithdrawalId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { transactionUrl } from "@/lib/chains/explorer";
import { displayAddress, readWallet } from "@/lib/chains/wallet";
import { type Order, writeOrderText } from "@/lib/wallets/custody/withdrawal-order";
import { type Allowance, listPayableWallets, readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { cancelWithdrawal } from "@/lib/wallets/withdrawals/decisions";
import { readDestination } from "@/lib/wallets/withdrawals/destination";
import { MAX_WAIT_SECONDS } from "@/lib/wallets/withdrawals/own-rules";
import { findPlaces } from "@/lib/wallets/withdrawals/queue";
import { createOrder, findShortage, requestWithdrawal } from "@/lib/wallets/withdrawals/request";
import type { Fees } from "@/lib/wallets/withdrawals/rules";
import { minWithdrawal, readFees } from "@/lib/wallets/withdrawals/rules";
import { findWithdrawal, listWithdrawals, UNSIGNED, type Withdrawal } from "@/lib/wallets/withdrawals/withdrawal";
import { frozenRefusal, refuse } from "../answer";
import { type Owner, shownWallet } from "../owner";
import { refusalText } from "../refusals";
import type { Answer } from "../views/answer";
import type { DrawnOrder, WithdrawPage } from "../views/withdraw";
import { readOwnRulesView } from "./own-rules";
import type { SignedOrderForm } from "./withdraw-form";
import { withdrawalRefusal } from "./withdraw-refusals";

const PAGE_ROWS = 25;

export interface WithdrawalTerms {
  /** In nano-USD, like all amounts here. */
  fees: Fees;
  least: NanoUsd;
  mostADay: NanoUsd;
  approvalAbove: NanoUsd;
  /** The longest delay that an owner can set. */
  maxDelayHours: number;
}

/** With the withdrawals that `before`, an earlier page's `older`, points to; the newest ones when it points nowhere. */
export async function readWithdrawPage({ accountId }: Owner, before: unknown = null): Promise<WithdrawPage> {
  const [rules, allowance, wallets, places, found] = await Promise.all([
    readOwnRulesView(accountId),
    readAllowance(accountId),
    listPayableWallets(accountId),
    findPlaces(accountId),
    listWithdrawals(accountId, { limit: PAGE_ROWS + 1, after: positionForm.safeParse(before).data }),
  ]);
  const fees = readFees();
  const shown = found.slice(0, PAGE_ROWS);
  return {
    rules,
    allowance,
    least: minWithdrawal(),
    highestFee: { base: fees.base, solana: higher(fees.solana, fees.solanaWithAccount) },
    solanaFees: { usual: fees.solana, withAccount: fees.solanaWithAccount },
    destinations: await Promise.all(
      wallets.map(async ({ linkedAt, payableFrom, isAllowed, ...wallet }) => {
        const chain = wallet.chain === "evm" ? ("base" as const) : ("solana" as const);
        return { chain, address: displayAddress(wallet), linkedAt, payableFrom, isAllowed, fee: await feeTo(chain, wallet.address) };
      }),
    ),
    signers: wallets.map(shownWallet),
    withdrawals: shown.map(({ chain, destination, transaction, ...row }) => ({
      id: row.id,
      amount: row.amount,
      fee: row.fee,
      state: row.state,
      waitsFor: row.waitsFor,
      reason: row.reason,
      ahead: places.get(row.id) ?? null,
      requestedAt: row.requestedAt,
      payFrom: row.payFrom,
      endedAt: row.endedAt,
      chain,
      transaction,
      destination: displayAddress({ chain: walletChainOf(chain), address: destination }),
      transactionUrl: transaction && transactionUrl(chain, transaction),
    })),
    older: found.length > PAGE_ROWS ? positionOf(shown.at(-1)) : null,
  };
}

const positionOf = (last: Withdrawal | undefined): string | null => (last ? `${last.requestedAt.getTime()}.${last.id}` : null);

/** `1796083201000.wd_…`: when the last withdrawal of a page was requested, and its id. */
const positionForm = z
  .string()
  .regex(/^\d{1,14}\.wd_[0-9A-Za-z]{20}$/)
  .transform((text) => {
    const [requestedAtMs, id] = text.split(".");
    return { requestedAt: new Date(Number(requestedAtMs)), id: id as WithdrawalId };
  });

const higher = (one: NanoUsd, other: NanoUsd): NanoUsd => (one > other ? one : other);

/** Null when the chain does not answer within the page's time limit. */
async function feeTo(chain: ChainId, address: string): Promise<NanoUsd | null> {
  const fees = readFees();
  if (chain === "base") return fees.base;
  const slow = new Promise<null>((resolve) => setTimeout(() => resolve(null), MAX_WAIT_MS).unref());
  const read = await Promise.race([readDestination(chain, address).catch(() => null), slow]); // then the fee is unknown
  if (!read?.ok) return null;
  return read.needsAccount ? fees.solanaWithAccount : fees.solana;
}

const MAX_WAIT_MS = 1_500;

interface Wish {
  chain: ChainId;
  destination: string;
  amount: NanoUsd;
}

/** Drafts an order for the owner to review and sign. Nothing is taken yet. */
export async function startOwnWithdrawal(owner: Owner, wish: Wish): Promise<Answer<{ order: DrawnOrder }>> {
  if (owner.isFrozen) return frozenRefusal();
  if (await countChallenge(owner.accountId)) return refuse(refusalText("too_many_attempts"));
  const drawn = await createOrder({ ...wish, accountId: owner.accountId });
  if (!drawn.ok) return withdrawalRefusal(drawn, wish.chain);
  const { order } = drawn;
  const allowance = await readAllowance(owner.accountId);
  const hindered = await findHindrance(owner, order, allowance);
  if (hindered) return withdrawalRefusal(hindered, wish.chain);
  const { accountId: _, validUntil: __, ...fields } = order;
  const { leftWithoutApproval, leftOfService, waitSeconds } = allowance;
  const waits = {
    ownSeconds: waitSeconds,
    needsApproval: order.amount > leftWithoutApproval,
    waitsItsTurn: order.amount > leftOfService,
  };
  const destination = displayAddress({ chain: walletChainOf(order.chain), address: order.destination });
  return {
    ok: true,
    order: { ...fields, destination, text: writeOrderText(order), waits },
  };
}

/** The refusal that would come later, reported before anything is signed. */
async function findHindrance({ accountId }: Owner, order: Order, allowance: Allowance) {
  const { withdrawable, leftOfDay, leftOfOwn, mostOfService, leftOpen } = allowance;
  const wallets = await listPayableWallets(accountId);
  const to = wallets.find(({ chain, address }) => chain === walletChainOf(order.chain) && address === order.destination);
  if (!to) return { reason: "destination_not_linked" } as const;
  if (to.payableFrom) return { reason: "destination_too_new", since: to.payableFrom } as const;
  if (!to.isAllowed) return { reason: "destination_not_allowed" } as const;
  if (leftOpen === 0) return { reason: "too_many_open" } as const;
  if (order.amount + order.fee > withdrawable) return { reason: "insufficient", most: withdrawable } as const;
  if (order.amount > leftOfDay) return { reason: "account_limit", most: leftOfDay } as const;
  if (leftOfOwn !== null && order.amount > leftOfOwn) return { reason: "own_limit", most: leftOfOwn } as const;
  if (order.amount > mostOfService) return { reason: "service_limit", most: mostOfService } as const;
  return findShortage(order);
}

/** Accepts the signed order. Submitting it twice is one withdrawal. */
export async function takeOwnWithdrawal(owner: Owner, form: SignedOrderForm): Promise<Answer<{ id: string }>> {
  if (owner.isFrozen) return frozenRefusal();
  if (await countAttempt(owner.accountId)) return refuse(refusalText("too_many_attempts"));
  const signer = readWallet(form.signer.chain, form.signer.address);
  if (!signer) return refuse(refusalText("address_invalid"));
  const outcome = await requestWithdrawal({ ...form, signer, accountId: owner.accountId });
  return outcome.ok ? outcome : withdrawalRefusal(outcome, form.chain);
}

/** Cancels a withdrawal while nothing is signed for it. In a frozen account too: the money only comes back. */
export async function cancelOwnWithdrawal({ accountId }: Owner, id: WithdrawalId): Promise<Answer> {
  if (await cancelWithdrawal(accountId, id)) return { ok: true };
  const found = await findWithdrawal(id);
  if (found?.accountId === accountId && UNSIGNED.includes(found.state)) {
    return refuse("We're checking whether this was already paid. Try again in a minute.");
  }
  return refuse("Too late to cancel: it was already sent or has ended.");
}

/** The fees and limits of withdrawals, for readers without an account. */
export function readWithdrawalTerms(): WithdrawalTerms {
  const { WITHDRAWAL_DAILY_LIMIT_USD, WITHDRAWAL_APPROVAL_ABOVE_USD } = config();
  return {
    fees: readFees(),
    least: minWithdrawal(),
    mostADay: WITHDRAWAL_DAILY_LIMIT_USD,
    approvalAbove: WITHDRAWAL_APPROVAL_ABOVE_USD,
    maxDelayHours: MAX_WAIT_SECONDS / 3_600,
  };
}
