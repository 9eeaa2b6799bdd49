// Slots: the chain's clock. Each has one blockhash, derived from the chain's own seed, so that a restart keeps issued hashes valid; since
// no slot is reused, neither is a hash.

import { createHash } from "node:crypto";
import { base58 } from "@scure/base";

export type Commitment = "processed" | "confirmed" | "finalized";

/** A transaction may use the blockhash of any of the last 150 blocks. */
export const BLOCKHASH_WINDOW = 150;
/** The chain's first slots had no block, as some slots on a real chain: a block's height is never its slot. */
const SLOTS_WITHOUT_BLOCK = 5_000;
export const FIRST_SLOT = SLOTS_WITHOUT_BLOCK + BLOCKHASH_WINDOW;

export interface SlotsOptions {
  /** 32 random bytes, unique to the chain. */
  seed: Uint8Array;
  current: number;
  /** How many slots the finalized slot is behind. */
  finalityLag: number;
}

export class Slots {
  readonly finalityLag: number;
  readonly #seed: Uint8Array;
  readonly #slotOf = new Map<string, number>();
  #current: number;

  constructor({ seed, current, finalityLag }: SlotsOptions) {
    this.#seed = seed;
    this.finalityLag = finalityLag;
    this.#current = current;
    for (let slot = current - BLOCKHASH_WINDOW; slot <= current; slot++) this.#slotOf.set(this.blockhash(slot), slot);
  }

  get current(): number {
    return this.#current;
  }

  advance(): void {
    this.#current++;
    this.#slotOf.set(this.blockhash(this.#current), this.#current);
    this.#slotOf.delete(this.blockhash(this.#current - BLOCKHASH_WINDOW - 1));
  }

  /** The newest slot with this commitment. */
  at(commitment: Commitment): number {
    const lag = { processed: 0, confirmed: 1, finalized: this.finalityLag }[commitment];
    return this.#current - lag;
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.at("finalized")) return "finalized";
    return slot <= this.at("confirmed") ? "confirmed" : "processed";
  }

  heightOf(slot: number): number {
    return slot - SLOTS_WITHOUT_BLOCK;
  }

  blockhash(slot: number): string {
    return this.#hash(`block ${slot}`);
  }

  genesisHash(): string {
    return this.#hash("genesis");
  }

  /** True while transactions may use this blockhash. */
  isValid(blockhash: string): boolean {
    return this.#slotOf.has(blockhash);
  }

  /** Null for an unknown or expired blockhash. */
  slotOf(blockhash: string): number | null {
    return this.#slotOf.get(blockhash) ?? null;
  }

  #hash(text: string): string {
    return base58.encode(createHash("sha256").update(this.#seed).update(text).digest());
  }
}
