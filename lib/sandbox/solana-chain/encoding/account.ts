// Accounts as the RPC returns them, in the encodings that clients may request.

import { base58 } from "@scure/base";
import { z } from "zod";
import { baseOptions } from "../rpc/params";
import { invalidParams, invalidRequest } from "../rpc/rpc-error";
import type { Account, Bank } from "../runtime/bank";
import { TOKEN_PROGRAM } from "../runtime/programs";
import { readMint, readTokenAccount, tokenAmount } from "../runtime/token-state";

/** Options of methods that return accounts. */
export const accountOptions = baseOptions.extend({
  encoding: z.enum(["base58", "base64", "base64+zstd", "jsonParsed", "binary"]).nullish(),
  dataSlice: z.object({ offset: z.int().min(0), length: z.int().min(0) }).nullish(),
});

export type AccountOptions = z.output<typeof accountOptions>;

const MAX_BASE58_BYTES = 128;

/** @throws RpcError when the encoding cannot hold the account's data */
export function encodeAccount(bank: Bank, account: Account, options: AccountOptions | null | undefined) {
  const { lamports, owner, executable, data } = account;
  // A validator's value for a rent-exempt account.
  return { data: encodeData(bank, account, options), executable, lamports, owner, rentEpoch: 2 ** 64, space: data.length };
}

function encodeData(bank: Bank, account: Account, options: AccountOptions | null | undefined) {
  const encoding = options?.encoding ?? "binary";
  const { offset, length } = options?.dataSlice ?? { offset: 0, length: account.data.length };
  const data = account.data.subarray(offset, offset + length);
  if (encoding === "jsonParsed") return parseData(bank, account) ?? [Buffer.from(data).toString("base64"), "base64"];
  if (encoding === "base64") return [Buffer.from(data).toString("base64"), "base64"];
  if (encoding === "base64+zstd") throw invalidParams("Invalid param: this chain does not compress: ask for base64");
  if (data.length > MAX_BASE58_BYTES)
    throw invalidRequest("Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.");
  const text = base58.encode(data);
  return encoding === "binary" ? text : [text, "base58"];
}

/** Mints and token accounts; undefined for every other account, whose data is returned as base64. */
function parseData(bank: Bank, account: Account) {
  const parsed = parseTokenAccount(bank, account) ?? parseMint(account);
  if (parsed === undefined) return undefined;
  return { parsed, program: account.owner === TOKEN_PROGRAM ? "spl-token" : "spl-token-2022", space: account.data.length };
}

function parseTokenAccount(bank: Bank, account: Account) {
  const token = readTokenAccount(account);
  const mint = token && bank.find(token.mint);
  const decimals = mint && readMint(mint)?.decimals;
  if (!token || typeof decimals !== "number") return undefined;
  const { mint: mintAddress, owner, state, nativeRent } = token;
  return {
    info: {
      isNative: nativeRent !== null,
      mint: mintAddress,
      owner,
      state,
      tokenAmount: tokenAmount(token.amount, decimals),
      ...(token.delegate && { delegate: token.delegate, delegatedAmount: tokenAmount(token.delegatedAmount, decimals) }),
      ...(token.closeAuthority && { closeAuthority: token.closeAuthority }),
      ...(nativeRent !== null && { rentExemptReserve: tokenAmount(nativeRent, decimals) }),
    },
    type: "account",
  };
}

function parseMint(account: Account) {
  const mint = readMint(account);
  if (!mint) return undefined;
  const { supply, ...info } = mint;
  return { info: { ...info, supply: supply.toString() }, type: "mint" };
}
