// RPC methods for accounts.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { Chain } from "../chain";
import { type AccountOptions, accountOptions, encodeAccount } from "../encoding/account";
import type { Method } from "../rpc/answer";
import { address, baseOptions, readCommitment, readParams, withContext } from "../rpc/params";
import { invalidParams } from "../rpc/rpc-error";
import type { Commitment } from "../runtime/slots";

const MAX_ACCOUNTS = 100;

const filter = z.union([
  z.object({ dataSize: z.int().min(0) }),
  z.object({
    memcmp: z.object({ offset: z.int().min(0), bytes: z.string(), encoding: z.enum(["base58", "base64"]).nullish() }),
  }),
]);

const programOptions = accountOptions.extend({ withContext: z.boolean().nullish(), filters: z.array(filter).nullish() });

type Filter = z.output<typeof filter>;

export function accountMethods(chain: Chain): [string, Method][] {
  return [
    [
      "getAccountInfo",
      (params) => {
        const [key, options] = readParams(params, z.tuple([address, accountOptions.nullish()]));
        const asked = readCommitment(chain, options);
        return withContext(chain, asked, encodeAt(chain, key, asked, options));
      },
    ],
    [
      "getMultipleAccounts",
      (params) => {
        const [keys, options] = readParams(params, z.tuple([z.array(address), accountOptions.nullish()]));
        if (keys.length > MAX_ACCOUNTS) throw invalidParams(`Too many inputs provided; max ${MAX_ACCOUNTS}`);
        const asked = readCommitment(chain, options);
        const accounts = keys.map((key) => encodeAt(chain, key, asked, options));
        return withContext(chain, asked, accounts);
      },
    ],
    [
      "getBalance",
      (params) => {
        const [key, options] = readParams(params, z.tuple([address, baseOptions.nullish()]));
        const asked = readCommitment(chain, options);
        return withContext(chain, asked, chain.accountAt(key, asked)?.lamports ?? 0);
      },
    ],
    [
      "getProgramAccounts",
      (params) => {
        const [program, options] = readParams(params, z.tuple([address, programOptions.nullish()]));
        const asked = readCommitment(chain, options);
        const found = programAccounts(chain, { program, asked, filters: options?.filters ?? [] }, options);
        return options?.withContext ? withContext(chain, asked, found) : found;
      },
    ],
  ];
}

function encodeAt(chain: Chain, key: string, asked: Commitment, options: AccountOptions | null | undefined) {
  const account = chain.accountAt(key, asked);
  return account && encodeAccount(chain.bank, account, options);
}

interface ProgramQuery {
  program: string;
  asked: Commitment;
  filters: readonly Filter[];
}

/** `[{pubkey, account}]` */
function programAccounts(chain: Chain, { program, asked, filters }: ProgramQuery, options: AccountOptions | null | undefined) {
  const found = chain.ownedBy(program, asked, (data) => filters.every((one) => fits(one, data)));
  return found.map(({ address: pubkey, account }) => ({ pubkey, account: encodeAccount(chain.bank, account, options) }));
}

function fits(one: Filter, data: Uint8Array): boolean {
  if ("dataSize" in one) return data.length === one.dataSize;
  const { offset, bytes, encoding } = one.memcmp;
  const wanted = encoding === "base64" ? Buffer.from(bytes, "base64") : decodeBase58(bytes);
  return Buffer.compare(data.subarray(offset, offset + wanted.length), wanted) === 0;
}

function decodeBase58(text: string): Uint8Array {
  try {
    return base58.decode(text);
  } catch {
    throw invalidParams("Invalid param: Invalid base58 in a memcmp filter");
  }
}
