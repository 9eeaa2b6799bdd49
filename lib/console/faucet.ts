// The faucet of a sandbox, as its owner asks for it. The sandbox sets it; in live mode there is none, and nothing here can
// make one.

import type { AccountId } from "@/lib/base/ids";
import { formatUsd, type NanoUsd } from "@/lib/base/money";
import { once } from "@/lib/base/once";
import { type Answer, frozenRefusal, refuse } from "./answer";
import type { Owner } from "./owner";

export interface Faucet {
  /** What it gives at a time. */
  amount: NanoUsd;
  /** How often a day (UTC) it gives to one account. */
  timesADay: number;
  /** Gives once; false when the account had its times today. */
  give: (accountId: AccountId) => Promise<boolean>;
}

const holder = () => once<{ faucet?: Faucet }>("sandbox faucet", () => ({}));

/** Gives this process a faucet, or takes it away. Only the sandbox calls this. */
export function setFaucet(faucet: Faucet | undefined): void {
  holder().faucet = faucet;
}

/** What a press of the button gives, nano-USD; null where there is no faucet. */
export const faucetAmount = (): NanoUsd | null => holder().faucet?.amount ?? null;

/** Gives the owner test USDC. */
export async function askFaucet({ accountId, isFrozen }: Owner): Promise<Answer<{ amount: NanoUsd }>> {
  const { faucet } = holder();
  if (!faucet) return refuse("There is no faucet here: money is real. Deposit USDC to one of your addresses.");
  if (isFrozen) return frozenRefusal();
  if (await faucet.give(accountId)) return { ok: true, amount: faucet.amount };
  return refuse(
    `The faucet gives ${formatUsd(faucet.amount)} ${faucet.timesADay} times a day, and you had them. It gives again at midnight UTC.`,
  );
}
