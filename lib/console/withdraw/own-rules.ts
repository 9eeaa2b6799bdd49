// The owner's own rules for withdrawals, as the withdraw page shows and changes them.

import { z } from "zod";
import type { Proof } from "@/lib/access/proofs";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { formatUsd } from "@/lib/base/money";
import { durationText } from "@/lib/base/text/duration-text";
import { readUsdText } from "@/lib/base/typed/amount-text";
import { displayAddress, isSameWallet, readWallet, type Wallet } from "@/lib/chains/wallet";
import { listPayableWallets } from "@/lib/wallets/withdrawals/allowance";
import { isLooser, type OwnRules, readHeldRules, setOwnRules } from "@/lib/wallets/withdrawals/own-rules";
import { frozenRefusal, refuse, textField } from "../answer";
import { type Owner, shownWallet } from "../owner";
import { refusalText } from "../refusals";
import { walletForm } from "../settings-form";
import { checkConfirmation, listNewWallets, statementList } from "../step-up";
import type { Answer } from "../views/answer";
import type { OwnRulesView } from "../views/withdraw";

const HOUR = 3_600;
const waits = [0, HOUR, 24 * HOUR, 72 * HOUR];

const MAX_DESTINATIONS = 50;

/** The form: an empty limit is none, and no destinations are every linked wallet. */
export const ownRulesForm = z.strictObject({
  dailyLimit: textField((text) => (text.trim() === "" ? null : readUsdText(text))),
  waitSeconds: z.literal(waits, "Choose how long withdrawals wait."),
  destinations: z.array(walletForm).max(MAX_DESTINATIONS),
});

export async function readOwnRulesView(accountId: AccountId): Promise<OwnRulesView> {
  const { newest, until, dailyLimit, waitSeconds, destinations } = await readHeldRules(accountId);
  const inForce = until && { until, dailyLimit, waitSeconds, destinations: destinations?.map(shownWallet) ?? null };
  return { ...newest, destinations: newest.destinations.map(shownWallet), inForce, waits };
}

/** Replaces the owner's rules; looser ones are signed first, and hold after 24 hours. */
export async function setConfirmedRules(owner: Owner, form: z.infer<typeof ownRulesForm>, proof: Proof | null): Promise<Answer> {
  if (owner.isFrozen) return frozenRefusal();
  const { newest: before } = await readHeldRules(owner.accountId);
  const destinations = await readDestinations(owner, form.destinations, before.destinations);
  if (!destinations) return refuse(refusalText("not_linked"), "destinations");
  const rules: OwnRules = { ...form, destinations };
  if (isLooser(rules, before)) {
    const refusal = await checkConfirmation(owner, statementOf(owner, rules), proof, await listNewWallets(owner));
    if (refusal) return refusal;
  }
  return (await setOwnRules(owner.accountId, rules, before))
    ? { ok: true }
    : refuse("These rules were changed on another page. Reload this one.");
}

/**
 * As they are stored; null when one of them is neither linked for good nor among the `stored` ones, which may be unlinked since: keeping
 * such a wallet allows nothing, and a rule that could not be sent again could not be changed.
 */
async function readDestinations({ accountId }: Owner, wallets: readonly Wallet[], stored: readonly Wallet[]): Promise<Wallet[] | null> {
  const possible = [...(await listPayableWallets(accountId)), ...stored];
  const found = wallets.map(({ chain, address }) => {
    const known = readWallet(chain, address);
    return known && possible.some((one) => isSameWallet(one, known)) ? known : null;
  });
  return found.some((wallet) => wallet === null) ? null : found.flatMap((wallet) => wallet ?? []);
}

function statementOf({ accountId }: Owner, { dailyLimit, waitSeconds, destinations }: OwnRules): string {
  const limit = dailyLimit === null ? "without a daily limit of my own" : `up to ${formatUsd(dailyLimit)} in 24 hours`;
  const to = destinations.length === 0 ? "every linked wallet" : statementList(destinations.map(displayAddress), "wallets");
  const wait = waitSeconds === 0 ? "without a waiting time" : `each after ${durationText(waitSeconds)}`;
  return `Allow withdrawals from account ${accountId} at ${config().SERVICE_NAME} ${limit}, ${wait}, to ${to}.`;
}
