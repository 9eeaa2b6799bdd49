// RPC methods for accounts and their tokens.

import { base58 } from "@scure/base";
import type { Chain } from "../chain";
import { encodeAccount } from "../encode-account";
import type { Method } from "../rpc/answer";
import { readAddress, readCommitment, readList, readOptions, withContext } from "../rpc/params";
import { invalidParams } from "../rpc/rpc-error";
import { isTokenProgram, readDecimals, readTokenAccount, tokenAmount } from "../runtime/token-state";

const MAX_ACCOUNTS = 100;
/** A token account starts with the keys of its mint and its owner. */
const KEY_BYTES = 32;

export function accountMethods(chain: Chain): Record<string, Method> {
  /** The answer of `read` with its slot, at the commitment of the options. */
  const at = <T>(given: unknown, read: (find: Find, options: Record<string, unknown>) => T) => {
    const options = readOptions(given);
    const asked = readCommitment(chain, options);
    return withContext(
      chain,
      asked,
      read((key) => chain.accountAt(key, asked), options),
    );
  };
  const encodeFound = (key: string, find: Find, options: Record<string, unknown>) => {
    const account = find(key);
    return account && encodeAccount(chain.state.bank, account, options);
  };
  return {
    getAccountInfo: ([key, given]) => at(given, (find, options) => encodeFound(readAddress(key), find, options)),
    getMultipleAccounts: ([given, more]) => {
      const keys = readList(given, MAX_ACCOUNTS, readAddress);
      return at(more, (find, options) => keys.map((key) => encodeFound(key, find, options)));
    },
    getBalance: ([key, given]) => at(given, (find) => find(readAddress(key))?.lamports ?? 0),
    getTokenAccountBalance: ([key, given]) =>
      at(given, (find) => {
        const account = find(readAddress(key));
        if (account === null) throw invalidParams("Invalid param: could not find account");
        const token = readTokenAccount(account);
        const decimals = readDecimals(token && find(token.mint));
        if (token === null || decimals === null) throw invalidParams("Invalid param: not a Token account");
        return tokenAmount(token.amount, decimals);
      }),
    getTokenAccountsByOwner: ([owner, by, given]) => {
      const asked = readCommitment(chain, readOptions(given));
      const start = [base58.decode(readAddress(owner))];
      const { mint, programId } = readOptions(by);
      if (mint !== undefined) start.unshift(base58.decode(readAddress(mint)));
      const program = mint === undefined ? readAddress(programId) : chain.accountAt(readAddress(mint), asked)?.owner;
      if (program === undefined) throw invalidParams("Invalid param: could not find mint");
      if (!isTokenProgram(program)) throw invalidParams("Invalid param: unrecognized Token program id");
      const offset = mint === undefined ? KEY_BYTES : 0;
      const wanted = Buffer.concat(start);
      const found = chain
        .ownedBy(program, asked, (data) => Buffer.compare(data.subarray(offset, 2 * KEY_BYTES), wanted) === 0)
        .filter(({ account }) => readTokenAccount(account) !== null);
      return at(given, (_, options) =>
        found.map(({ address: pubkey, account }) => ({ pubkey, account: encodeAccount(chain.state.bank, account, options) })),
      );
    },
  };
}

type Find = (key: string) => ReturnType<Chain["accountAt"]>;
