// Reads the RPC's parameters, with a validator's refusals.

import { base58 } from "@scure/base";
import type { Chain } from "../chain";
import type { Commitment } from "../runtime/slots";
import { invalidParams, minContextSlotNotReached } from "./rpc-error";

export const API_VERSION = "3.0.0";

const COMMITMENTS: readonly unknown[] = ["processed", "confirmed", "finalized"] satisfies Commitment[];

export const readAddress = (value: unknown): string => readBase58(value, 32, 44);
export const readSignature = (value: unknown): string => readBase58(value, 64, 88);

/** Base58 of `bytes` bytes, with at most `mostCharacters` characters. */
function readBase58(value: unknown, bytes: number, mostCharacters: number): string {
  // Also bounds the work: decoding base58 takes quadratic time.
  if (typeof value !== "string" || value.length > mostCharacters || !/^[1-9A-HJ-NP-Za-km-z]*$/.test(value))
    throw invalidParams("Invalid param: Invalid");
  if (base58.decode(value).length !== bytes) throw invalidParams("Invalid param: WrongSize");
  return value;
}

export function readText(value: unknown): string {
  if (typeof value !== "string") throw invalidParams("Invalid params: expected a string");
  return value;
}

export function readInteger(value: unknown, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw invalidParams(`Invalid params: expected an integer from 0 to ${most}`);
}

/** @param readOne reads each of at most `most` values */
export function readList<T>(value: unknown, most: number, readOne: (one: unknown) => T): T[] {
  if (!Array.isArray(value)) throw invalidParams("Invalid params: expected an array");
  if (value.length > most) throw invalidParams(`Too many inputs provided; max ${most}`);
  return value.map(readOne);
}

/** An object of options, the last parameter of most methods. */
export function readOptions(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object") throw invalidParams("Invalid params: expected an object");
  return { ...value };
}

/** One of `choices`; the first of them when there is none. */
export function readChoice<T extends string>(value: unknown, choices: readonly [T, ...T[]]): T {
  if (value === undefined || value === null) return choices[0];
  const chosen = choices.find((choice) => choice === value);
  if (chosen === undefined)
    throw invalidParams(`Invalid params: unknown variant \`${String(value)}\`, expected one of ${choices.join(", ")}`);
  return chosen;
}

/**
 * The requested commitment, `finalized` by default.
 * @throws RpcError -32016 when the chain has not reached the client's `minContextSlot`
 */
export function readCommitment({ slots }: Chain, { commitment, minContextSlot }: Record<string, unknown>): Commitment {
  const asked = commitment ?? "finalized";
  if (!COMMITMENTS.includes(asked)) throw invalidParams("Invalid params: commitment is not processed, confirmed or finalized");
  const slot = slots.at(asked as Commitment);
  if (slot < readInteger(minContextSlot ?? 0)) throw minContextSlotNotReached(slot);
  return asked as Commitment;
}

/** Like `readCommitment`, for methods that exclude processed data. */
export function readBlockCommitment(chain: Chain, options: Record<string, unknown>): "confirmed" | "finalized" {
  const asked = readCommitment(chain, options);
  if (asked === "processed") throw invalidParams("Method does not support commitment below `confirmed`");
  return asked;
}

/** A value together with its slot. */
export function withContext<T>({ slots }: Chain, asked: Commitment, value: T) {
  return { context: { apiVersion: API_VERSION, slot: slots.at(asked) }, value };
}
