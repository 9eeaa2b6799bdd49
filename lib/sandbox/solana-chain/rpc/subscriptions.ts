// The subscriptions of one WebSocket, and its notifications as slots pass.

import type { Chain } from "../chain";
import type { Method, Methods } from "./answer";
import { readCommitment, readInteger, readOptions, readSignature, withContext } from "./params";
import { internalError } from "./rpc-error";

const MAX_SUBSCRIPTIONS = 10_000;

interface Subscription {
  notice: string;
  /** The result to tell, if there is one. */
  watch: () => unknown;
  /** It ends with its first notification. */
  isOnce?: boolean;
}

export class Subscriptions {
  readonly #chain: Chain;
  readonly #send: (text: string) => void;
  readonly #subscriptions = new Map<number, Subscription>();
  #last = 0;

  constructor(chain: Chain, send: (text: string) => void) {
    this.#chain = chain;
    this.#send = send;
  }

  /** Methods of a WebSocket. */
  methods(): Methods {
    const { slots } = this.#chain;
    const watchSlot = () => ({ slot: slots.current, parent: slots.current - 1, root: slots.at("finalized") });
    const unsubscribe = ([id]: readonly unknown[]) => this.#subscriptions.delete(readInteger(id));
    return new Map<string, Method>([
      ["slotSubscribe", () => this.#add({ notice: "slotNotification", watch: watchSlot })],
      ["slotUnsubscribe", unsubscribe],
      ["signatureSubscribe", (params) => this.#add({ notice: "signatureNotification", watch: this.#watchSignature(params), isOnce: true })],
      ["signatureUnsubscribe", unsubscribe],
    ]);
  }

  /** Call when a slot has begun. */
  notify(): void {
    for (const [subscription, { notice, watch, isOnce }] of this.#subscriptions) {
      const result = watch();
      if (result === undefined) continue;
      this.#send(JSON.stringify({ jsonrpc: "2.0", method: notice, params: { result, subscription } }));
      if (isOnce) this.#subscriptions.delete(subscription);
    }
  }

  #add(subscription: Subscription): number {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw internalError();
    this.#last++;
    this.#subscriptions.set(this.#last, subscription);
    return this.#last;
  }

  #watchSignature([given, options]: readonly unknown[]) {
    const chain = this.#chain;
    const signature = readSignature(given);
    const asked = readCommitment(chain, readOptions(options));
    return () => {
      const entry = chain.state.history.find(signature);
      if (entry !== null && entry.slot <= chain.slots.at(asked)) return withContext(chain, asked, { err: entry.error });
    };
  }
}
