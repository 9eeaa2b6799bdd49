// Versions: earlier states of accounts, as far back as `confirmed` and `finalized` reads need them.

import type { Account } from "./bank";

interface Version {
  /** The slot in which this state was replaced. */
  slot: number;
  before: Account | null;
}

export class Versions {
  /** Oldest first. */
  readonly #versions = new Map<string, Version[]>();

  remember(slot: number, address: string, before: Account | null): void {
    const versions = this.#versions.get(address);
    if (versions === undefined) this.#versions.set(address, [{ slot, before }]);
    else if (versions.at(-1)?.slot !== slot) versions.push({ slot, before });
  }

  /** The account at the end of `slot`; undefined when it has not changed since. */
  at(slot: number, address: string): Account | null | undefined {
    return this.#versions.get(address)?.find((version) => version.slot > slot)?.before;
  }

  /** Addresses with versions: accounts that may have existed at an older slot. */
  addresses(): IterableIterator<string> {
    return this.#versions.keys();
  }

  /** Drops versions needed only for slots before `slot`. */
  forgetBefore(slot: number): void {
    for (const [address, versions] of this.#versions) {
      const kept = versions.filter((version) => version.slot > slot);
      if (kept.length === 0) this.#versions.delete(address);
      else if (kept.length < versions.length) this.#versions.set(address, kept);
    }
  }
}
