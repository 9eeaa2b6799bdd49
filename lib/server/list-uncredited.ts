// `npm run uncredited`: lists the money that arrived at customers' addresses and was never credited: USDC below the minimum, and tokens
// that are not USDC. It reads the database in DATABASE_URL, or that of the sandbox in DATA_DIR.

import { formatUsd } from "@/lib/base/money";
import { readAllUncredited, type UncreditedAddress } from "@/lib/wallets/deposits/deposit";
import { readForeignTokens } from "@/lib/wallets/deposits/foreign-tokens";
import { readSolanaForeignTokens } from "@/lib/wallets/deposits/solana-foreign-tokens";
import { withPresentDatabase } from "./present-database";

const MAX_LISTED = 1_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exit code 0 when the list was printed, 1 when it could not be. */
export async function main(): Promise<void> {
  try {
    await withPresentDatabase(list);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function list(): Promise<void> {
  const small = await readAllUncredited(MAX_LISTED);
  for (const { chain, address, accountId, amount } of small) say(`${chain.padEnd(6)}  ${address}  ${accountId}  ${formatUsd(amount)}`);
  say(
    `${small.length} ${small.length === 1 ? "address" : "addresses"} below the minimum deposit (${formatUsd(totalOf(small))} in total). Each is credited once it reaches the minimum.`,
  );
  const tokens = [...(await foreignOnBase()), ...(await foreignOnSolana())];
  for (const line of tokens) say(line);
  say(`${tokens.length} ${tokens.length === 1 ? "transfer" : "transfers"} of other tokens. Amounts are in each token's smallest unit.`);
}

const totalOf = (small: readonly UncreditedAddress[]): bigint => small.reduce((sum, { amount }) => sum + amount, 0n);

async function foreignOnBase(): Promise<string[]> {
  const found = await readForeignTokens("base", MAX_LISTED);
  return found.map(
    ({ address, accountId, units, token, sender, transaction }) =>
      `base    ${address}  ${accountId}  ${units} units of ${token} from ${sender} in ${transaction}`,
  );
}

async function foreignOnSolana(): Promise<string[]> {
  const found = await readSolanaForeignTokens(MAX_LISTED);
  return found.map(
    ({ owner, accountId, units, mint, tokenAccount }) => `solana  ${owner}  ${accountId}  ${units} units of ${mint} in ${tokenAccount}`,
  );
}
