// The chain's state, persisted in the journal: its own secrets, all accounts, and the kept transactions.

import { randomBytes } from "node:crypto";
import { base58 } from "@scure/base";
import { TOKEN_PROGRAM } from "@/lib/chains/solana/instructions";
import { publicKeyOf } from "@/lib/chains/solana/message";
import { type AccountEntry, Journal, type JournalEntry } from "./journal";
import { type Account, Bank, SYSTEM_PROGRAM } from "./runtime/bank";
import { History } from "./runtime/history";
import { writeMint } from "./runtime/token-state";
import type { TransactionRecord } from "./runtime/transaction-record";

export interface StateOptions {
  /** The journal's file; created when missing. */
  path: string;
  /** The mint of the sandbox's USDC; created when missing. */
  usdcMint: string;
}

const USDC_DECIMALS = 6;
/** Below 2^53, so that the sum of all lamports is a safe integer. */
const FAUCET_LAMPORTS = 5_000_000 * 1e9;
/** Kept, besides those of the last minute. */
const MAX_TRANSACTIONS = 10_000;
const ACCOUNTS_PER_LINE = 500;
/** Slots are reserved in the journal this far ahead, so that a restarted process knows where it may continue. */
const SLOTS_AHEAD = 50;

export class State {
  readonly bank = new Bank();
  readonly history: History;
  /** The USDC's mint and freeze authority; holds the faucet's lamports. */
  readonly faucetAddress: string;
  /** 32 bytes. */
  readonly seed: Buffer;
  readonly faucetSeed: Buffer;
  /** The last slot that an earlier process may have used; null for a new chain. */
  readonly lastSlot: number | null;
  readonly #journal: Journal;
  readonly #addresses = new Set<string>();
  #slotsWritten = 0;

  /** @throws Error that says what to do when the journal is damaged */
  constructor({ path, usdcMint }: StateOptions) {
    this.#journal = new Journal(path);
    const entries = this.#journal.read();
    const [first] = entries;
    const kept = first !== undefined && "chain" in first ? first : null;
    this.seed = kept ? Buffer.from(kept.seed, "hex") : randomBytes(32);
    this.faucetSeed = kept ? Buffer.from(kept.faucetSeed, "hex") : randomBytes(32);
    this.faucetAddress = base58.encode(publicKeyOf(this.faucetSeed));
    this.history = new History(MAX_TRANSACTIONS);
    for (const entry of entries) this.#restore(entry);
    this.lastSlot = kept === null ? null : this.#slotsWritten;
    this.#openAccounts(usdcMint);
    // Also removes a cut-off last line.
    this.#journal.rewrite(this.#lines());
  }

  /** Persists the accounts that a transaction changed, before any response mentions it. */
  keep(record: TransactionRecord, changed: ReadonlyMap<string, Account | null>): void {
    for (const address of changed.keys()) this.#addresses.add(address);
    const accounts = [...changed].map(([address, account]) => accountEntry(address, account));
    this.#journal.append({ accounts, transaction: record });
    this.history.add(record);
  }

  /** Call before `slot` is used. */
  keepSlot(slot: number): void {
    if (slot <= this.#slotsWritten) return;
    this.#slotsWritten = slot + SLOTS_AHEAD;
    this.#journal.append({ slots: this.#slotsWritten });
  }

  #restore(entry: JournalEntry): void {
    if ("slots" in entry) this.#slotsWritten = Math.max(this.#slotsWritten, entry.slots);
    if ("accounts" in entry) {
      for (const [address, lamports, owner, data, executable] of entry.accounts)
        this.#put(address, { lamports, owner, data: Buffer.from(data, "base64"), executable });
    }
    if ("transaction" in entry && entry.transaction) this.history.add(entry.transaction);
  }

  #openAccounts(usdcMint: string): void {
    const faucet = this.faucetAddress;
    if (this.bank.find(faucet) === null)
      this.#put(faucet, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM, data: new Uint8Array(), executable: false });
    if (this.bank.find(usdcMint) !== null) return;
    const data = writeMint(faucet, USDC_DECIMALS);
    this.#put(usdcMint, { lamports: this.bank.rentExemption(data.length), owner: TOKEN_PROGRAM, data, executable: false });
  }

  #put(address: string, account: Account): void {
    this.bank.set(address, account);
    this.#addresses.add(address);
  }

  *#lines(): Generator<string> {
    const line = (entry: JournalEntry) => JSON.stringify(entry);
    yield line({ chain: 1, seed: this.seed.toString("hex"), faucetSeed: this.faucetSeed.toString("hex") });
    yield line({ slots: this.#slotsWritten });
    const addresses = [...this.#addresses];
    for (let start = 0; start < addresses.length; start += ACCOUNTS_PER_LINE) {
      const accounts = addresses.slice(start, start + ACCOUNTS_PER_LINE).flatMap((address) => {
        const account = this.bank.find(address);
        if (account === null) this.#addresses.delete(address);
        return account === null ? [] : [accountEntry(address, account)];
      });
      yield line({ accounts });
    }
    for (const { sequence: _, ...transaction } of this.history.all()) yield line({ accounts: [], transaction });
  }
}

function accountEntry(address: string, account: Account | null): AccountEntry {
  if (account === null) return [address, 0, SYSTEM_PROGRAM, "", false];
  const { lamports, owner, data, executable } = account;
  return [address, lamports, owner, Buffer.from(data).toString("base64"), executable];
}
