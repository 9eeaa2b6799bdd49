// For tests: an owner at the withdraw page, and what it sends.

import type { SessionId } from "@/lib/base/ids";
import { displayAddress } from "@/lib/chains/wallet";
import type { TestOwner } from "@/lib/wallets/withdrawals/testing/world";
import { readForm } from "../../answer";
import type { Owner } from "../../owner";
import { startOwnWithdrawal } from "../withdraw";
import { withdrawalForm } from "../withdraw-form";

export const ownerOf = ({ accountId, evm }: TestOwner): Owner => ({
  accountId,
  sessionId: "ses_test" as SessionId,
  wallet: evm,
  isFrozen: false,
  isLeaving: false,
  confirmedAt: new Date(0),
  spendsUntil: null,
});

/** What the page sends to draft a withdrawal, parsed by its form. */
export async function startWithdrawal(test: TestOwner, wish: { chain?: string; destination?: string; amount: string }) {
  const read = readForm(withdrawalForm, { chain: "base", destination: displayAddress(test.evm), ...wish });
  return read.ok ? startOwnWithdrawal(ownerOf(test), read.form) : read;
}
