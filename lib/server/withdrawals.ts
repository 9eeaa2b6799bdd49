// `npm run withdrawals -- list | text <id> | approve <id> [signature | --yes] | refuse <id> [why]`: the operator's decisions on withdrawals,
// in the database in DATABASE_URL, or that of the sandbox in DATA_DIR.

import { walletChainOf } from "@/lib/base/chains";
import type { WithdrawalId } from "@/lib/base/ids";
import { formatUsd } from "@/lib/base/money";
import { displayAddress } from "@/lib/chains/wallet";
import { writeApprovalText } from "@/lib/wallets/custody/limits/operator-approval";
import { approveWithdrawal, refuseWithdrawal } from "@/lib/wallets/withdrawals/decisions";
import { findWithdrawal, listWithdrawalsIn, type OpenWithdrawal, UNDER_WAY, UNSIGNED } from "@/lib/wallets/withdrawals/withdrawal";
import { withPresentDatabase } from "./present-database";
import { signApproval } from "./signer/operator-signature";

const usage = `npm run withdrawals -- list                  list open withdrawals, those that need approval first
npm run withdrawals -- text <id>             print the text that the operator's key signs to approve it
npm run withdrawals -- approve <id> [0x…]    approve and pay it, with that signature; or sign here with OPERATOR_KEY_FILE, after the
                                             text was shown and you said yes (scripts: approve <id> --yes)
npm run withdrawals -- refuse <id> [why]     decline it; the account gets the money back and sees the reason
`;

const MAX_LISTED = 1_000;
const MAX_REASON_CHARACTERS = 200;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const commands: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = { list, text, approve, refuse };

/** Exit code 0 when the command is done; 1 when it is not, and the message says why. */
export async function main(): Promise<void> {
  const [name = "", ...words] = process.argv.slice(2);
  const command = commands[name];
  if (!command || !areWordsRight(name, words)) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    await withPresentDatabase(() => command(words));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** How many words follow the id; a reason may have any number. */
const wordsAfterId: Readonly<Record<string, number>> = { text: 0, approve: 1 };

function areWordsRight(name: string, [id = "", ...others]: readonly string[]): boolean {
  if (name === "list") return id === "" && others.length === 0;
  return /^wd_[0-9A-Za-z]{20}$/.test(id) && others.length <= (wordsAfterId[name] ?? Number.POSITIVE_INFINITY);
}

async function list(): Promise<void> {
  const waiting = await listWithdrawalsIn(["awaiting_approval"], MAX_LISTED);
  const others = await listWithdrawalsIn(["approved", ...UNDER_WAY], MAX_LISTED);
  for (const withdrawal of [...waiting, ...others]) print(lineOf(withdrawal));
  const total = waiting.reduce((sum, { amount }) => sum + amount, 0n);
  print(`${waiting.length} awaiting approval (${formatUsd(total)} in total), ${others.length} being paid.`);
}

function lineOf({ id, state, waitsFor, amount, chain, destination, accountId, requestedAt }: OpenWithdrawal): string {
  const to = displayAddress({ chain: walletChainOf(chain), address: destination });
  const where = waitsFor === null ? state : `${state}, waiting for ${waitsFor}`;
  return `${id}  ${requestedAt.toISOString()}  ${formatUsd(amount).padStart(14)}  ${chain.padEnd(6)}  ${to}  ${accountId}  ${where}`;
}

/** Without a newline at the end, so that a shell's $(…) and a file hold exactly the signed text. */
async function text([id = ""]: readonly string[]): Promise<void> {
  const found = await findWithdrawal(id as WithdrawalId);
  if (!found) throw await undecided(id);
  process.stdout.write(writeApprovalText(found));
}

async function approve([id = "", word]: readonly string[]): Promise<void> {
  const found = await findWithdrawal(id as WithdrawalId);
  const mayApprove = found?.state === "awaiting_approval" || (found?.state === "approved" && found.waitsFor === "approval");
  if (!found || !mayApprove) throw await undecided(id);
  const isConfirmed = word === "--yes";
  const signature = await signApproval(found, isConfirmed ? null : (word ?? null), isConfirmed);
  if (!(await approveWithdrawal(found.id, signature))) throw await undecided(id);
  print(`Approved ${id}. It is being paid.`);
}

async function refuse([id = "", ...reason]: readonly string[]): Promise<void> {
  const why = reason.join(" ").trim().slice(0, MAX_REASON_CHARACTERS) || "The operator declined it.";
  if (!(await refuseWithdrawal(id as WithdrawalId, why))) {
    const found = await findWithdrawal(id as WithdrawalId);
    if (!found || !UNSIGNED.includes(found.state)) throw await undecided(id);
    throw new Error(`A process has started since ${id} was ordered, and the jobs process first asks the chain whether it was paid already.
Nothing was changed. Try again in a minute.`);
  }
  print(`Declined ${id}. The money is back in the account, with this reason: ${why}`);
}

async function undecided(id: string): Promise<Error> {
  const found = await findWithdrawal(id as WithdrawalId);
  return new Error(found ? `${id} is already ${found.state}. Nothing was changed.` : `Withdrawal ${id} not found.`);
}
