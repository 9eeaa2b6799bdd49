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

export interface InnerInstruction {
  programIdIndex: number;
  accounts: number[];
  /** Base58. */
  data: string;
  stackHeight: number;
}

export interface Run {
  error: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  returnData: { programId: string; data: [string, "base64"] } | null;
  /** For each instruction that called others. */
  innerInstructions: { index: number; instructions: InnerInstruction[] }[];
}

export interface Simulation extends Run {
  /** The resulting accounts; empty when it failed. */
  accounts: Map<string, Account>;
}

/** Slots of an epoch, as on the main network. */
export const SLOTS_PER_EPOCH = 432_000;

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

  simulate(transaction: Uint8Array, { verifySignatures = true } = {}): Simulation {
    this.#svm.setSigverify(verifySignatures);
    try {
      const outcome = this.#svm.simulateVersionedTransaction(transaction);
      if (outcome instanceof FailedTransactionMetadata) return { ...readOutcome(outcome), accounts: new Map() };
      const accounts = outcome.postAccounts().flatMap((entry) => {
        const account = readAccount(entry.account());
        return account === null ? [] : [[base58.encode(entry.address), account] as const];
      });
      return { ...readOutcome(outcome.meta()), accounts: new Map(accounts) };
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
  const isFailure = outcome instanceof FailedTransactionMetadata;
  const meta = isFailure ? outcome.meta() : outcome;
  const returned = meta.returnData();
  return {
    error: isFailure ? readTransactionError(outcome) : null,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData:
      returned.data().length === 0
        ? null
        : { programId: base58.encode(returned.programId()), data: [Buffer.from(returned.data()).toString("base64"), "base64"] },
    innerInstructions: meta
      .innerInstructions()
      .map((list, index) => ({
        index,
        instructions: list.map((inner) => {
          const instruction = inner.instruction();
          return {
            programIdIndex: instruction.programIdIndex(),
            accounts: [...instruction.accounts()],
            data: base58.encode(instruction.data()),
            stackHeight: inner.stackHeight(),
          };
        }),
      }))
      .filter(({ instructions }) => instructions.length > 0),
  };
}
