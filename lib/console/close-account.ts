// Closing an account: its money is withdrawn before, its keys and sessions end, and its owner's personal data are erased seven days later,
// as far as the books allow. Until then nobody who closes an account that they stole has removed their traces. Charges, deposits and
// withdrawals stay, and so do the wallets: signing in with one of them opens it again, so that money that comes in later is never lost.

import { closeAccount, lockAccount } from "@/lib/access/accounts";
import { listIdentities } from "@/lib/access/identities";
import type { Proof } from "@/lib/access/proofs";
import { config } from "@/lib/base/config";
import { formatUsd, type NanoUsd } from "@/lib/base/money";
import { type Database, inTransaction } from "@/lib/db/prisma";
import { lockBalance, readBalance } from "@/lib/ledger/accounts";
import { countOpenWithdrawals } from "@/lib/wallets/withdrawals/allowance";
import { minWithdrawal, readFees } from "@/lib/wallets/withdrawals/rules";
import { frozenRefusal, refuse } from "./answer";
import { ERASED_AFTER_DAYS } from "./erase-closed";
import type { Owner } from "./owner";
import { checkConfirmation } from "./step-up";
import type { Answer, Refusal } from "./views/answer";

/** Closes the owner's account, once a wallet has signed that. */
export async function closeOwnAccount(owner: Owner, proof: Proof | null): Promise<Answer> {
  if (owner.isFrozen) return frozenRefusal();
  const left = await readRemainder(owner);
  if (typeof left !== "bigint") return left;
  const remains = left > 0n ? ` The remaining ${formatUsd(left)} stays on it.` : "";
  const statement = `Close account ${owner.accountId} at ${config().SERVICE_NAME}: its keys stop working and its personal data is erased in ${ERASED_AFTER_DAYS} days.${remains}`;
  const refusal = await checkConfirmation(owner, statement, proof);
  if (refusal) return refusal;
  return inTransaction<Answer>(async (transaction) => {
    await lockAccount(owner.accountId, transaction);
    await lockBalance(owner.accountId, transaction); // a request waiting for it then finds the account closed
    const remainder = await readRemainder(owner, transaction); // money may have come or gone while its owner signed
    if (typeof remainder !== "bigint") return remainder;
    if (remainder !== left) return refuse("Your balance has changed since you signed. Close the account again.");
    await closeAccount(owner.accountId, transaction);
    return { ok: true };
  });
}

/** The balance, and whether it must be withdrawn before the account is closed: it is more than a fee and the least that can leave. */
export async function readClosingBalance({ accountId }: Owner): Promise<{ balance: NanoUsd; mustLeave: boolean }> {
  const { posted } = await readBalance(accountId);
  return { balance: posted, mustLeave: canLeave(posted) };
}

function canLeave(posted: NanoUsd): boolean {
  const { base, solana } = readFees();
  return [base, solana].some((fee) => posted >= minWithdrawal() + fee);
}

/** The rest of the balance, too little to be withdrawn; the refusal while there is more, or while money is on its way. */
async function readRemainder({ accountId }: Owner, database?: Database): Promise<NanoUsd | Refusal> {
  const { posted, held } = await readBalance(accountId, database);
  if ((await countOpenWithdrawals(accountId, database)) > 0)
    return refuse("A withdrawal is still open. Wait until it is paid or cancel it, then close the account.");
  // The thief of one of two wallets must not close the account while the other, which is on its way out, could still stop them.
  if ((await listIdentities(accountId, database)).some(({ leavesAt }) => leavesAt !== null))
    return refuse("A wallet is being unlinked. Wait until it is unlinked or keep it, then close the account.");
  if (held > 0n) return refuse("A request is still running. Try again when it has finished.");
  return canLeave(posted) ? refuse(`Withdraw your balance of ${formatUsd(posted)} first.`) : posted;
}
