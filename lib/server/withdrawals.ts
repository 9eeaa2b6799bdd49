// `npm run withdrawals -- list | approve <id> | refuse <id> [why]`: the operator's decisions on withdrawals, in the database in
// DATABASE_URL, or that of the sandbox in DATA_DIR.

import type { WithdrawalId } from "@/lib/base/ids";
import { formatUsd } from "@/lib/base/money";
import { displayAddress } from "@/lib/chains/wallet";
import { walletChainOf } from "@/lib/wallets/custody/withdrawal-order";
import { approveWithdrawal, refuseWithdrawal } from "@/lib/wallets/withdrawals/decisions";
import { findWithdrawal, listWithdrawalsIn, type OpenWithdrawal, UNDER_WAY } from "@/lib/wallets/withdrawals/withdrawal";
import { withPresentDatabase } from "./present-database";

const usage = `npm run withdrawals -- list                  list open withdrawals, those that need approval first
npm run withdrawals -- approve <id>          approve and pay it
npm run withdrawals -- refuse <id> [why]     decline it; the account gets the money back and sees the reason
`;

const MAX_LISTED = 1_000;
const MAX_REASON_CHARACTERS = 200;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const commands: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = { list, approve, refuse };

/** Exit code 0 when the command is done; 1 when it is not, and the message says why. */
export async function main(): Promise<void> {
  const [name = "", ...words] = process.argv.slice(2);
  const command = commands[name];
  const needsId = name !== "list";
  if (!command || (needsId ? !/^wd_[0-9A-Za-z]{20}$/.test(words[0] ?? "") : words.length > 0) || (name === "approve" && words.length > 1)) {
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

async function approve([id = ""]: readonly string[]): Promise<void> {
  if (!(await approveWithdrawal(id as WithdrawalId))) throw await undecided(id);
  print(`Approved ${id}. It is being paid.`);
}

async function refuse([id = "", ...reason]: readonly string[]): Promise<void> {
  const why = reason.join(" ").trim().slice(0, MAX_REASON_CHARACTERS) || "The operator declined it.";
  if (!(await refuseWithdrawal(id as WithdrawalId, why))) throw await undecided(id);
  print(`Declined ${id}. The money is back in the account, with this reason: ${why}`);
}

async function undecided(id: string): Promise<Error> {
  const found = await findWithdrawal(id as WithdrawalId);
  return new Error(found ? `${id} is already ${found.state}. Nothing was changed.` : `Withdrawal ${id} not found.`);
}
