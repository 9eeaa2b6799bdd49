// Accounts as the RPC returns them, in the encodings that clients may request.

import { base58 } from "@scure/base";
import { TOKEN_PROGRAM } from "@/lib/chains/solana/instructions";
import { readChoice, readInteger, readOptions } from "./rpc/params";
import { invalidParams, invalidRequest } from "./rpc/rpc-error";
import type { Account, Bank } from "./runtime/bank";
import { readDecimals, readTokenAccount, tokenAmount } from "./runtime/token-state";

const MAX_BASE58_BYTES = 128;

/** @throws RpcError when the encoding cannot hold the account's data */
export function encodeAccount(bank: Bank, account: Account, options: Record<string, unknown>) {
  const { lamports, owner, executable, data } = account;
  // A validator's value for a rent-exempt account.
  return { data: encodeData(bank, account, options), executable, lamports, owner, rentEpoch: 2 ** 64, space: data.length };
}

function encodeData(bank: Bank, account: Account, options: Record<string, unknown>) {
  const encoding = readChoice(options.encoding, ["binary", "base58", "base64", "base64+zstd", "jsonParsed"]);
  const parsed = encoding === "jsonParsed" ? parseTokenAccount(bank, account) : null;
  if (parsed !== null) return parsed;
  const { offset = 0, length = account.data.length } = readOptions(options.dataSlice);
  const data = account.data.subarray(readInteger(offset), readInteger(offset) + readInteger(length));
  if (encoding === "jsonParsed" || encoding === "base64") return [Buffer.from(data).toString("base64"), "base64"];
  if (encoding === "base64+zstd") throw invalidParams("Invalid param: this chain does not compress: ask for base64");
  if (data.length > MAX_BASE58_BYTES)
    throw invalidRequest("Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.");
  const text = base58.encode(data);
  return encoding === "binary" ? text : [text, "base58"];
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
