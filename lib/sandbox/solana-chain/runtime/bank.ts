// The bank: the runtime, which holds every account and runs transactions against them. Its callers have already checked blockhashes and
// known signatures.

import { base58 } from "@scure/base";
import { Clock, FailedTransactionMetadata, LiteSvm, Account as SvmAccount, type TransactionMetadata } from "litesvm/dist/internal.js";
import { readTransactionError, type TransactionError } from "./transaction-error";

export interface Account {
  lamports: number;
  /** The program that owns it. */
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

export interface Run {
  error: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
}

/** Slots of an epoch, as on the main network. */
export const SLOTS_PER_EPOCH = 432_000;

export const SYSTEM_PROGRAM = "11111111111111111111111111111111";

const NO_DATA = new Uint8Array();

export class Bank {
  readonly #svm = new LiteSvm();

  constructor() {
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
  }

  /** Null for an account without lamports: to the runtime it does not exist. */
  find(address: string): Account | null {
    const account = this.#svm.getAccount(base58.decode(address));
    return account === null ? null : readAccount(account);
  }

  /** Like `find`, for a program: without its data, which may be long. */
  findProgram(address: string): Account | null {
    const lamports = Number(this.#svm.getBalance(base58.decode(address)) ?? 0n);
    return lamports === 0 ? null : { lamports, owner: "", data: NO_DATA, executable: true };
  }

  set(address: string, { lamports, owner, data, executable }: Account): void {
    this.#svm.setAccount(base58.decode(address), new SvmAccount(BigInt(lamports), data, base58.decode(owner), executable, 0n));
  }

  /** Addresses of all accounts that `program` owns and whose data matches. */
  ownedBy(program: string, fits: (data: Uint8Array) => boolean): string[] {
    const owned = this.#svm.getProgramAccounts(base58.decode(program));
    return owned.filter((entry) => fits(entry.account().data())).map(({ address }) => base58.encode(address));
  }

  rentExemption(bytes: number): number {
    return Number(this.#svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  setClock(slot: number, unixSeconds: number): void {
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    const epochStart = BigInt(unixSeconds - Math.floor(((slot % SLOTS_PER_EPOCH) * 4) / 10));
    this.#svm.setClock(new Clock(BigInt(slot), epochStart, BigInt(epoch), BigInt(epoch + 1), BigInt(unixSeconds)));
    // The runtime has its own blockhash, which durable nonces use: it changes with the slot too.
    this.#svm.expireBlockhash();
  }

  run(transaction: Uint8Array): Run {
    return readOutcome(this.#svm.sendVersionedTransaction(transaction));
  }

  simulate(transaction: Uint8Array, { verifySignatures = true } = {}): Run {
    this.#svm.setSigverify(verifySignatures);
    try {
      const outcome = this.#svm.simulateVersionedTransaction(transaction);
      return readOutcome(outcome instanceof FailedTransactionMetadata ? outcome : outcome.meta());
    } finally {
      this.#svm.setSigverify(true);
    }
  }
}

function readAccount(account: SvmAccount): Account | null {
  const lamports = Number(account.lamports());
  if (lamports === 0) return null;
  return { lamports, owner: base58.encode(account.owner()), data: account.data(), executable: account.executable() };
}

function readOutcome(outcome: TransactionMetadata | FailedTransactionMetadata): Run {
  const error = outcome instanceof FailedTransactionMetadata ? readTransactionError(outcome) : null;
  const meta = outcome instanceof FailedTransactionMetadata ? outcome.meta() : outcome;
  return { error, logs: meta.logs(), unitsConsumed: Number(meta.computeUnitsConsumed()) };
}
