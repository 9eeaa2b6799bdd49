// Versions: what accounts were before they were last changed, as far back as a slot may still be asked for that is not the
// newest: `finalized` and `confirmed` answers.

import type { Account } from "./bank";

interface Version {
  /** The slot in which it was replaced. */
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

  /** The account at the end of `slot`; undefined when it is what it is now. */
  at(slot: number, address: string): Account | null | undefined {
    return this.#versions.get(address)?.find((version) => version.slot > slot)?.before;
  }

  /** Addresses with versions: accounts that may have existed at an older slot. */
  addresses(): IterableIterator<string> {
    return this.#versions.keys();
  }

  /** Drops what is needed only for slots before `slot`. */
  forgetBefore(slot: number): void {
    for (const [address, versions] of this.#versions) {
      const kept = versions.filter((version) => version.slot > slot);
      if (kept.length === 0) this.#versions.delete(address);
      else if (kept.length < versions.length) this.#versions.set(address, kept);
    }
  }
}
