// The subscriptions of one WebSocket, and its notifications as slots pass.

import { z } from "zod";
import type { Chain } from "../chain";
import { accountOptions, encodeAccount } from "../encoding/account";
import type { Account } from "../runtime/bank";
import type { HistoryEntry } from "../runtime/history";
import type { Commitment } from "../runtime/slots";
import { transactionRecord } from "../runtime/transaction-record";
import type { Method } from "./answer";
import { address, baseOptions, readCommitment, readParams, signature, withContext } from "./params";
import { internalError } from "./rpc-error";

const MAX_SUBSCRIPTIONS = 10_000;

/** Sends pending notifications; true when there will be no more. */
type Watch = (tell: (result: unknown) => void) => boolean;

interface Subscription {
  notice: string;
  watch: Watch;
}

const logsFilter = z.union([z.enum(["all", "allWithVotes"]), z.object({ mentions: z.tuple([address]) })]);

export class Subscriptions {
  readonly #chain: Chain;
  readonly #send: (text: string) => void;
  readonly #subscriptions = new Map<number, Subscription>();
  #last = 0;

  constructor(chain: Chain, send: (text: string) => void) {
    this.#chain = chain;
    this.#send = send;
  }

  /** Methods available over WebSocket only. */
  methods(): [string, Method][] {
    const kinds: [string, (params: readonly unknown[]) => Watch][] = [
      ["signature", (params) => watchSignature(this.#chain, params)],
      ["account", (params) => watchAccount(this.#chain, params)],
      ["logs", (params) => watchLogs(this.#chain, params)],
      ["slot", () => watchSlot(this.#chain)],
    ];
    return kinds.flatMap(([kind, watchOf]): [string, Method][] => [
      [`${kind}Subscribe`, (params) => this.#add({ notice: `${kind}Notification`, watch: watchOf(params) })],
      [`${kind}Unsubscribe`, (params) => this.#subscriptions.delete(readParams(params, z.tuple([z.int()]))[0])],
    ]);
  }

  /** Call when a slot has begun. */
  notify(): void {
    for (const [id, { notice, watch }] of this.#subscriptions) {
      const tell = (result: unknown) =>
        this.#send(JSON.stringify({ jsonrpc: "2.0", method: notice, params: { result, subscription: id } }));
      if (watch(tell)) this.#subscriptions.delete(id);
    }
  }

  #add(subscription: Subscription): number {
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) throw internalError();
    this.#last++;
    this.#subscriptions.set(this.#last, subscription);
    return this.#last;
  }
}

function watchSignature(chain: Chain, params: readonly unknown[]): Watch {
  const [one, options] = readParams(params, z.tuple([signature, baseOptions.nullish()]));
  const asked = readCommitment(chain, options);
  return (tell) => {
    const entry = chain.history.find(one);
    if (entry === null || entry.slot > chain.slots.at(asked)) return false;
    tell(withContext(chain, asked, { err: entry.error }));
    return true;
  };
}

function watchAccount(chain: Chain, params: readonly unknown[]): Watch {
  const [key, options] = readParams(params, z.tuple([address, accountOptions.nullish()]));
  const asked = readCommitment(chain, options);
  let last = chain.accountAt(key, asked);
  return (tell) => {
    const account = chain.accountAt(key, asked);
    if (isSame(last, account)) return false;
    last = account;
    // A deleted account is reported as one of the system program without lamports.
    const reported = account ?? { lamports: 0, owner: "1".repeat(32), data: new Uint8Array(), executable: false };
    tell(withContext(chain, asked, encodeAccount(chain.bank, reported, options)));
    return false;
  };
}

const isSame = (one: Account | null, other: Account | null): boolean =>
  one?.lamports === other?.lamports &&
  one?.owner === other?.owner &&
  Buffer.compare(one?.data ?? Buffer.alloc(0), other?.data ?? Buffer.alloc(0)) === 0;

function watchLogs(chain: Chain, params: readonly unknown[]): Watch {
  const [filter, options] = readParams(params, z.tuple([logsFilter, baseOptions.nullish()]));
  const asked = readCommitment(chain, options);
  const newest = () => closedSlot(chain, asked);
  let last = newest();
  return (tell) => {
    for (; last < newest(); last++) {
      const entries = chain.history.inSlot(last + 1).filter((entry) => typeof filter === "string" || mentions(entry, filter.mentions[0]));
      for (const { signature, error, json } of entries) {
        const { logs } = transactionRecord.parse(JSON.parse(json));
        tell(withContext(chain, asked, { signature, err: error, logs }));
      }
    }
    return false;
  };
}

const mentions = (entry: HistoryEntry, key: string): boolean => entry.accounts.includes(key);

/** The newest slot of a commitment that accepts no more transactions. */
const closedSlot = ({ slots }: Chain, asked: Commitment): number => Math.min(slots.at(asked), slots.current - 1);

function watchSlot({ slots }: Chain): Watch {
  return (tell) => {
    tell({ slot: slots.current, parent: slots.current - 1, root: slots.at("finalized") });
    return false;
  };
}
