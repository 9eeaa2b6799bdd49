// What the two test wallets have in common: what a test can make them do, and how they decline.

import type { TestWallet } from "@/lib/console/testing/wallets";

export interface ExtensionWallet {
  /** Its name in wallet lists. */
  name: string;
  /** Every text that it signed. */
  signed: readonly string[];
  /** The selected account. */
  keys: () => TestWallet;
  /** The person declines the next request of this kind. */
  decline: (what: Question) => void;
  /** The person selects another account; open pages are notified as wallets do it. */
  switchTo: (next: TestWallet) => Promise<void>;
}

/** What a wallet asks its person: whether a page may see the address, whether to sign or send, and whether to switch its network. */
export type Question = "connect" | "sign" | "switch";

export type WalletAnswer = { result: unknown } | { error: { code: number; message: string } };

const REJECTED = 4001;
const INTERNAL = -32_603;

/** Requests that the person declines. */
export class Refusals {
  private readonly next = new Set<Question>();

  add(what: Question): void {
    this.next.add(what);
  }

  /** @throws an error with EIP-1193's code when the person declines this request */
  check(what: Question): void {
    if (!this.next.delete(what)) return;
    throw Object.assign(new Error("User rejected the request."), { code: REJECTED });
  }

  /** The result or the error of `act`, in a form that can cross into the page. */
  async answer(act: () => Promise<unknown>): Promise<WalletAnswer> {
    try {
      return { result: await act() };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? Number(error.code) : INTERNAL;
      return { error: { code, message: error instanceof Error ? error.message : "failed" } };
    }
  }
}

/** A square of one colour. */
export const icon = (colour: string): string =>
  `data:image/svg+xml;base64,${btoa(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="${colour}"/></svg>`)}`;
