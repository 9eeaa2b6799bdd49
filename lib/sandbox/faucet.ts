// The sandbox's faucet: test USDC that is worth nothing, for whoever asks, some times a day.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, nanoUsd } from "@/lib/base/money";
import { setFaucet } from "@/lib/console/faucet";
import { openFundingAccount } from "@/lib/ledger/accounts";
import { postTransfer } from "@/lib/ledger/transfers";
import { FAUCET } from "./demo-account";

const AMOUNT = fromCents(500);
const TIMES_A_DAY = 20;

/** Lets owners ask for test USDC from now on. */
export const openFaucet = (): void => setFaucet({ amount: AMOUNT, timesADay: TIMES_A_DAY, give });

/** Each time of a day is a transfer of its own name, posted once: so two presses at once can not have the same, nor one too many. */
async function give(accountId: AccountId): Promise<boolean> {
  await openFundingAccount(FAUCET);
  const day = now().toISOString().slice(0, 10);
  const legs = [
    { account: accountId, amount: AMOUNT },
    { account: FAUCET, amount: nanoUsd(-AMOUNT) },
  ];
  for (let time = 1; time <= TIMES_A_DAY; time += 1) {
    if (await postTransfer({ id: `faucet_${accountId}_${day}_${time}`, kind: "credit", legs })) return true;
  }
  return false;
}
