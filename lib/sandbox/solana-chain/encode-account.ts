// Accounts as the RPC returns them, in base64, or parsed.

import { TOKEN_PROGRAM } from "@/lib/chains/solana/instructions";
import { readChoice, readInteger, readOptions } from "./rpc/params";
import type { Account, Bank } from "./runtime/bank";
import { readDecimals, readTokenAccount, tokenAmount } from "./runtime/token-state";

export function encodeAccount(bank: Bank, account: Account, options: Record<string, unknown>) {
  const { lamports, owner, executable, data } = account;
  // A validator's value for a rent-exempt account.
  return { data: encodeData(bank, account, options), executable, lamports, owner, rentEpoch: 2 ** 64, space: data.length };
}

function encodeData(bank: Bank, account: Account, options: Record<string, unknown>) {
  const encoding = readChoice(options.encoding, ["base64", "jsonParsed"]);
  const parsed = encoding === "jsonParsed" ? parseTokenAccount(bank, account) : null;
  if (parsed !== null) return parsed;
  const { offset = 0, length = account.data.length } = readOptions(options.dataSlice);
  const data = account.data.subarray(readInteger(offset), readInteger(offset) + readInteger(length));
  return [Buffer.from(data).toString("base64"), "base64"];
}

/** Null for every account that holds no tokens: its data is returned as base64. */
function parseTokenAccount(bank: Bank, account: Account) {
  const token = readTokenAccount(account);
  const decimals = readDecimals(token && bank.find(token.mint));
  if (token === null || decimals === null) return null;
  const { amount, ...info } = token;
  return {
    parsed: { info: { ...info, tokenAmount: tokenAmount(amount, decimals) }, type: "account" },
    program: account.owner === TOKEN_PROGRAM ? "spl-token" : "spl-token-2022",
    space: account.data.length,
  };
}
