// Schemas of JSON-RPC results: every node response is validated by one of these.

import type { Hex } from "viem";
import { z } from "zod";

const hex = (pattern: RegExp) => z.custom<Hex>((value) => typeof value === "string" && pattern.test(value));

export const bytes = hex(/^0x([0-9a-fA-F]{2})*$/);
export const bytes32 = hex(/^0x[0-9a-fA-F]{64}$/).transform((text) => text.toLowerCase() as Hex);
/** Lower case, as addresses are stored and compared. */
export const address = hex(/^0x[0-9a-fA-F]{40}$/).transform((text) => text.toLowerCase() as Hex);
export const wei = hex(/^0x[0-9a-fA-F]{1,64}$/).transform((text) => BigInt(text));
/** A count, height or time: a safe integer. */
export const quantity = wei.refine((value) => value <= Number.MAX_SAFE_INTEGER).transform(Number);
/** A block's height, which the database stores in 32 bits. */
export const height = quantity.refine((value) => value <= 0x7fff_ffff);
/** A Solidity function's bool. */
export const flag = hex(/^0x0{63}[01]$/).transform((text) => text.endsWith("1"));
