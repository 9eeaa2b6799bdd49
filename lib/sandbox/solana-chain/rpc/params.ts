// Schemas of the RPC's parameters, with a validator's refusals.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { Chain } from "../chain";
import type { Commitment } from "../runtime/slots";
import { invalidParams, minContextSlotNotReached } from "./rpc-error";

/**
 * Reads positional parameters; missing ones are undefined, and extra ones are ignored.
 * @throws RpcError -32602
 */
export function readParams<T extends z.ZodTuple>(params: readonly unknown[], schema: T): z.output<T> {
  const parsed = schema.safeParse(Array.from(schema.def.items, (_, index) => params[index]));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw invalidParams(issue?.message.startsWith("Invalid param:") ? issue.message : `Invalid params: ${where}: ${issue?.message}.`);
}

export const address = base58Of(32, 44);
export const signature = base58Of(64, 88);

/** Base58 of `bytes` bytes, with at most `mostCharacters` characters. */
function base58Of(bytes: number, mostCharacters: number) {
  return z.string("Invalid param: Invalid").superRefine((text, context) => {
    // Also bounds the work: decoding base58 takes quadratic time.
    const isBase58 = text.length <= mostCharacters && /^[1-9A-HJ-NP-Za-km-z]*$/.test(text);
    if (isBase58 && base58.decode(text).length === bytes) return;
    context.addIssue({ code: "custom", message: `Invalid param: ${isBase58 ? "WrongSize" : "Invalid"}` });
  });
}

export const slot = z.int().min(0);

const commitment = z.enum(["processed", "confirmed", "finalized"]).nullish();

/** The last parameter of most methods. */
export const baseOptions = z.looseObject({ commitment, minContextSlot: slot.nullish() });

interface BaseOptions {
  commitment?: Commitment | null;
  minContextSlot?: number | null;
}

/**
 * The requested commitment, `finalized` by default.
 * @throws RpcError -32016 when the chain has not reached the client's `minContextSlot`
 */
export function readCommitment({ slots }: Chain, options: BaseOptions | null | undefined): Commitment {
  const asked = options?.commitment ?? "finalized";
  const least = options?.minContextSlot ?? 0;
  if (slots.at(asked) < least) throw minContextSlotNotReached(slots.at(asked));
  return asked;
}

/** Like `readCommitment`, for methods that exclude processed data. */
export function readBlockCommitment(chain: Chain, options: BaseOptions | null | undefined): "confirmed" | "finalized" {
  const asked = readCommitment(chain, options);
  if (asked === "processed") throw invalidParams("Method does not support commitment below `confirmed`");
  return asked;
}

/** A value together with its slot. */
export function withContext<T>({ slots }: Chain, asked: Commitment, value: T) {
  return { context: { apiVersion: API_VERSION, slot: slots.at(asked) }, value };
}

export const API_VERSION = "3.0.0";
