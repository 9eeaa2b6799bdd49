// History: recent transactions, indexed by signature and account. It keeps a limited number and drops the oldest, but never a transaction
// whose blockhash is still valid: it also detects replays.

import { BLOCKHASH_WINDOW } from "./slots";
import type { TransactionRecord } from "./transaction-record";

export interface HistoryEntry extends TransactionRecord {
  /** Increases across all transactions. */
  sequence: number;
}

export interface Page {
  /** Newest last, exclusive: entries older than this signature. */
  before?: string | undefined;
  /** Exclusive: entries newer than this signature. */
  until?: string | undefined;
  limit: number;
  /** Only entries up to this slot. */
  newestSlot: number;
}

export class History {
  readonly #entries: HistoryEntry[] = [];
  readonly #bySignature = new Map<string, HistoryEntry>();
  readonly #byAccount = new Map<string, HistoryEntry[]>();
  #sequence = 0;

  constructor(private readonly most: number) {}

  add(record: TransactionRecord): void {
    const entry = { ...record, sequence: this.#sequence++ };
    this.#entries.push(entry);
    this.#bySignature.set(entry.signature, entry);
    for (const account of new Set(entry.accounts)) {
      const list = this.#byAccount.get(account);
      if (list === undefined) this.#byAccount.set(account, [entry]);
      else list.push(entry);
    }
    for (let oldest = this.#entries[0]; oldest !== undefined && this.#isTooMuch(oldest, entry.slot); oldest = this.#entries[0])
      this.#drop(oldest);
  }

  find(signature: string): HistoryEntry | null {
    return this.#bySignature.get(signature) ?? null;
  }

  /** When `slot` began, in seconds; null for one without transactions. */
  timeOf(slot: number): number | null {
    return this.#entries.find((entry) => entry.slot === slot)?.blockTime ?? null;
  }

  /** Transactions that reference `account`, newest first. Empty when `before` is unknown, as at a validator. */
  ofAccount(account: string, { before, until, limit, newestSlot }: Page): HistoryEntry[] {
    const entries = this.#byAccount.get(account) ?? [];
    // Both signatures may be of other accounts: their position among all transactions counts.
    const first = before === undefined ? undefined : this.find(before)?.sequence;
    if (before !== undefined && first === undefined) return [];
    const last = until === undefined ? undefined : this.find(until)?.sequence;
    const page: HistoryEntry[] = [];
    for (let index = entries.length - 1; index >= 0 && page.length < limit; index--) {
      const entry = entries[index];
      if (entry === undefined || (last !== undefined && entry.sequence <= last)) break;
      if (entry.slot <= newestSlot && (first === undefined || entry.sequence < first)) page.push(entry);
    }
    return page;
  }

  /** The first slot with complete history; null while nothing was dropped. */
  firstSlot(): number | null {
    return this.#entries.length < this.most ? null : (this.#entries[0]?.slot ?? 0) + 1;
  }

  all(): readonly HistoryEntry[] {
    return this.#entries;
  }

  #isTooMuch(oldest: HistoryEntry, slot: number): boolean {
    return this.#entries.length > this.most && oldest.slot < slot - BLOCKHASH_WINDOW;
  }

  #drop(oldest: HistoryEntry): void {
    this.#entries.shift();
    this.#bySignature.delete(oldest.signature);
    for (const account of new Set(oldest.accounts)) {
      const list = this.#byAccount.get(account);
      list?.shift();
      if (list?.length === 0) this.#byAccount.delete(account);
    }
  }
}
