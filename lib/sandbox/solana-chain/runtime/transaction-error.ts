// Transaction errors as the RPC names them, with a validator's messages.

import type { FailedTransactionMetadata } from "litesvm/dist/internal.js";

/** As JSON: `"AlreadyProcessed"`, `{"InstructionError": [0, {"Custom": 1}]}`. */
export type TransactionError =
  | string
  | { InstructionError: [number, string | { Custom: number }] }
  | { DuplicateInstruction: number }
  | { [name: string]: { account_index: number } };

/** The runtime tells names only in its description: `err: InstructionError(0, Custom(1))`, `err: InsufficientFundsForRent { account_index: 1 }`. */
const DESCRIBED = /err: (\w+)(?:\((\d+)(?:, (\w+)(?:\((\d+)\))?)?)?/;
const OF_ACCOUNT = / \{ account_index: (\d+)/;

export function readTransactionError(failed: FailedTransactionMetadata): TransactionError {
  const text = failed.toString();
  const [, name = "", index, inner = "", code] = DESCRIBED.exec(text) ?? [];
  if (name === "InstructionError") return { InstructionError: [Number(index), code === undefined ? inner : { Custom: Number(code) }] };
  if (name === "DuplicateInstruction") return { DuplicateInstruction: Number(index) };
  const account = OF_ACCOUNT.exec(text)?.[1];
  return account === undefined ? name : { [name]: { account_index: Number(account) } };
}

/** True when the failed transaction is still included in a block and pays its fee. Any other failed one leaves no trace. */
export function isRecorded(error: TransactionError): boolean {
  return typeof error === "object" && ("InstructionError" in error || "InsufficientFundsForRent" in error);
}

/** Messages that clients search for. Any other error is described by its name, split into words. */
const TEXTS = new Map([
  ["AccountNotFound", "Attempt to debit an account but found no record of a prior credit."],
  ["AlreadyProcessed", "This transaction has already been processed"],
]);

/** The validator's message: `Error processing Instruction 0: custom program error: 0x1`. */
export function transactionErrorText(error: TransactionError): string {
  if (typeof error === "string") return textOf(error);
  if (!("InstructionError" in error)) return textOf(Object.keys(error)[0] ?? "");
  const [index, inner] = error.InstructionError as [number, string | { Custom: number }];
  return `Error processing Instruction ${index}: ${typeof inner === "string" ? textOf(inner) : `custom program error: 0x${inner.Custom.toString(16)}`}`;
}

const textOf = (name: string): string => TEXTS.get(name) ?? name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
