// The chain: slots pass, and transactions are accepted or refused. A transaction's effects are in the journal before any response mentions
// them.

import { nowMs } from "@/lib/base/clock";
import type { Account, Run } from "./runtime/bank";
import { BLOCKHASH_WINDOW, type Commitment, FIRST_SLOT, Slots } from "./runtime/slots";
import { isRecorded, type TransactionError } from "./runtime/transaction-error";
import { lamportsOf, memoOf, type TransactionRecord, tokenBalancesOf } from "./runtime/transaction-record";
import { Versions } from "./runtime/versions";
import type { WireTransaction } from "./runtime/wire";
import { State, type StateOptions } from "./state";

export interface ChainOptions extends StateOptions {
  /** How many slots the finalized slot is behind. */
  finalityLag: number;
}

/** A transaction with its original bytes. */
export interface Sent extends WireTransaction {
  bytes: Uint8Array;
}

/** Number of slots whose time is kept. */
const MAX_TIMES = 10_000;

export class Chain {
  readonly slots: Slots;
  readonly usdcMint: string;
  readonly state: State;
  readonly #versions = new Versions();
  /** When recent slots began, in seconds. */
  readonly #times = new Map<number, number>();

  /** @throws Error that says what to do when the journal is damaged */
  constructor(options: ChainOptions) {
    this.state = new State(options);
    this.usdcMint = options.usdcMint;
    const { lastSlot, seed } = this.state;
    // Everything from an earlier process is final immediately, since earlier account versions are not persisted.
    const current = lastSlot === null ? FIRST_SLOT : lastSlot + options.finalityLag + 1;
    this.slots = new Slots({ seed, current, finalityLag: options.finalityLag });
    this.#beginSlot();
  }

  advance(): void {
    this.slots.advance();
    this.#beginSlot();
    this.#versions.forgetBefore(this.slots.at("finalized"));
    this.#times.delete(this.slots.current - MAX_TIMES);
  }

  #beginSlot(): void {
    const { current } = this.slots;
    this.state.keepSlot(current);
    const seconds = Math.floor(nowMs() / 1000);
    this.#times.set(current, seconds);
    this.state.bank.setClock(current, seconds);
  }

  /** The blockhash of a slot, and how long transactions may use it. */
  blockhashAt(slot: number) {
    return { blockhash: this.slots.blockhash(slot), lastValidBlockHeight: this.slots.heightOf(slot) + BLOCKHASH_WINDOW };
  }

  /** When a slot began, in seconds; null when it is too old, or has not begun. */
  timeOf(slot: number): number | null {
    return this.#times.get(slot) ?? this.state.history.timeOf(slot);
  }

  /** An account at the newest slot of a commitment; null when it does not exist there. */
  accountAt(address: string, commitment: Commitment): Account | null {
    const version = commitment === "processed" ? undefined : this.#versions.at(this.slots.at(commitment), address);
    return version === undefined ? this.state.bank.find(address) : version;
  }

  /** Accounts that `program` owned at the newest slot of a commitment and whose data matches. */
  ownedBy(program: string, commitment: Commitment, fits: (data: Uint8Array) => boolean): { address: string; account: Account }[] {
    const candidates = new Set([...this.state.bank.ownedBy(program, fits), ...this.#versions.addresses()]);
    return [...candidates].flatMap((address) => {
      const account = this.accountAt(address, commitment);
      return account?.owner === program && fits(account.data) ? [{ address, account }] : [];
    });
  }

  /** Why a transaction cannot be accepted, regardless of its effects; null when it can. */
  refusalOf({ signatures: [signature = ""], message }: WireTransaction): TransactionError | null {
    if (!this.slots.isValid(message.recentBlockhash)) return "BlockhashNotFound";
    return this.state.history.find(signature) ? "AlreadyProcessed" : null;
  }

  /** Simulates a transaction. */
  simulate(sent: Sent, { verifySignatures = true, anyBlockhash = false } = {}): Run {
    const simulation = this.state.bank.simulate(sent.bytes, { verifySignatures });
    const refusal = this.refusalOf(sent);
    const isRefused = refusal !== null && !(anyBlockhash && refusal === "BlockhashNotFound") && simulation.error !== "SignatureFailure";
    if (!isRefused) return simulation;
    return { error: refusal, logs: [], unitsConsumed: 0 };
  }

  /** Includes a transaction in the current slot. A transaction that cannot be accepted is dropped, as by a validator. */
  send(sent: Sent): void {
    if (this.refusalOf(sent) !== null) return;
    const { slots } = this;
    const { bank } = this.state;
    const { accountKeys: accounts } = sent.message;
    const programs = new Set(sent.message.instructions.map(({ programIdIndex }) => programIdIndex));
    const read = (address: string, index: number) => (programs.has(index) ? bank.findProgram(address) : bank.find(address));
    const before = accounts.map(read);
    const preTokenBalances = tokenBalancesOf(bank, before);
    const run = bank.run(sent.bytes);
    if (run.error !== null && !isRecorded(run.error)) return;
    const after = accounts.map(read);
    const record: TransactionRecord = {
      signature: sent.signatures[0] ?? "",
      slot: slots.current,
      blockTime: this.#times.get(slots.current) ?? 0,
      memo: memoOf(sent.message),
      wire: Buffer.from(sent.bytes).toString("base64"),
      accounts,
      ...lamportsOf(before, after),
      preTokenBalances,
      postTokenBalances: tokenBalancesOf(bank, after),
      ...run,
    };
    const changed = new Map<string, Account | null>();
    for (const [index, address] of accounts.entries()) {
      const [was, is] = [before[index] ?? null, after[index] ?? null];
      if (isSame(was, is)) continue;
      changed.set(address, is);
      this.#versions.remember(slots.current, address, was);
    }
    this.state.keep(record, changed);
  }
}

function isSame(one: Account | null, other: Account | null): boolean {
  if (one === null || other === null) return one === other;
  return one.lamports === other.lamports && one.owner === other.owner && Buffer.compare(one.data, other.data) === 0;
}
