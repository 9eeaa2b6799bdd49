// RPC methods for tokens: balances, supply, and token accounts by owner.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { Chain } from "../chain";
import { accountOptions, encodeAccount } from "../encoding/account";
import type { Method } from "../rpc/answer";
import { address, baseOptions, readCommitment, readParams, withContext } from "../rpc/params";
import { invalidParams } from "../rpc/rpc-error";
import type { Commitment } from "../runtime/slots";
import { isTokenProgram, readMint, readTokenAccount, tokenAmount } from "../runtime/token-state";

/** A token account starts with the keys of its mint and its owner. */
const KEY_BYTES = 32;

const onToken = z.tuple([address, baseOptions.nullish()]);
const ofOwner = z.tuple([address, z.union([z.object({ mint: address }), z.object({ programId: address })]), accountOptions.nullish()]);

export function tokenMethods(chain: Chain): [string, Method][] {
  return [
    [
      "getTokenAccountBalance",
      (params) => {
        const [key, options] = readParams(params, onToken);
        const asked = readCommitment(chain, options);
        const account = chain.accountAt(key, asked);
        if (account === null) throw invalidParams("Invalid param: could not find account");
        const token = readTokenAccount(account);
        if (token === null) throw invalidParams("Invalid param: not a Token account");
        return withContext(chain, asked, tokenAmount(token.amount, mintAt(chain, token.mint, asked).decimals));
      },
    ],
    [
      "getTokenSupply",
      (params) => {
        const [key, options] = readParams(params, onToken);
        const asked = readCommitment(chain, options);
        const { supply, decimals } = mintAt(chain, key, asked);
        return withContext(chain, asked, tokenAmount(supply, decimals));
      },
    ],
    [
      "getTokenAccountsByOwner",
      (params) => {
        const [owner, by, options] = readParams(params, ofOwner);
        const asked = readCommitment(chain, options);
        const program = "programId" in by ? by.programId : chain.accountAt(by.mint, asked)?.owner;
        if (program === undefined) throw invalidParams("Invalid param: could not find mint");
        if (!isTokenProgram(program)) throw invalidParams("Invalid param: unrecognized Token program id");
        const start = Buffer.concat("mint" in by ? [base58.decode(by.mint), base58.decode(owner)] : [base58.decode(owner)]);
        const offset = "mint" in by ? 0 : KEY_BYTES;
        const found = chain.ownedBy(program, asked, (data) => Buffer.compare(data.subarray(offset, 2 * KEY_BYTES), start) === 0);
        const accounts = found
          .filter(({ account }) => readTokenAccount(account) !== null)
          .map(({ address: pubkey, account }) => ({ pubkey, account: encodeAccount(chain.bank, account, options) }));
        return withContext(chain, asked, accounts);
      },
    ],
  ];
}

function mintAt(chain: Chain, key: string, asked: Commitment) {
  const account = chain.accountAt(key, asked);
  if (account === null) throw invalidParams("Invalid param: could not find account");
  const mint = readMint(account);
  if (mint === null) throw invalidParams("Invalid param: not a Token mint");
  return mint;
}
