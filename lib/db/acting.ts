// Who is acting, and from where: every transaction of theirs says so, and the database's record of changes (lib/audit) reads it there. A
// page's POST and an operator's command carry it through AsyncLocalStorage; a job says it in its own transaction.

import { AsyncLocalStorage } from "node:async_hooks";
import type { PrismaPg } from "@prisma/adapter-pg";
import { processSingleton } from "@/lib/base/process-singleton";

export type Actor =
  /** Who is signed in, and the wallet that signed in. */
  | { kind: "session"; sessionId: string; chain: string; address: string }
  /** A wallet that has just proved itself. */
  | { kind: "wallet"; chain: string; address: string }
  /** The reader who opened a link that we sent to an endpoint of the account. */
  | { kind: "link"; endpointId: string }
  /** The operator, at a terminal. */
  | { kind: "command"; command: string; user: string; host: string }
  /** The service, by itself. */
  | { kind: "job"; job: string }
  | { kind: "process"; user: string; host: string };

/** Erased after a while. */
export interface Origin {
  address: string;
  /** Like "Chrome on macOS". */
  device: string;
}

interface Acting {
  /** Unknown until it is looked up. */
  actor: Actor | null;
  origin: Origin | null;
}

// Created by its first use: before Node 24 a storage in use slows every promise of its process, and so each API request by a sixth.
const holder = processSingleton<{ storage?: AsyncLocalStorage<Acting> }>("acting", () => ({}));

/** Runs `work` with its transactions saying who acts. */
export function runActing<Result>(acting: Acting, work: () => Result): Result {
  const held = holder();
  held.storage ??= new AsyncLocalStorage<Acting>();
  return held.storage.run(acting, work);
}

/** From now on `actor` acts, within the `runActing` that this is called in; without one nothing happens. */
export function setActor(actor: Actor): void {
  const acting = holder().storage?.getStore();
  if (acting) acting.actor = actor;
}

type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;
type Statement = Parameters<Adapter["queryRaw"]>[0];
type Opened = Awaited<ReturnType<Adapter["startTransaction"]>>;

/** Lets each transaction of the adapter begin by saying who acts. A single statement that may write becomes a transaction then. */
export function carryActor(adapter: Adapter): Adapter {
  const [start, query, execute] = [
    adapter.startTransaction.bind(adapter),
    adapter.queryRaw.bind(adapter),
    adapter.executeRaw.bind(adapter),
  ];
  adapter.startTransaction = async (isolationLevel) => {
    const acting = holder().storage?.getStore();
    const transaction = await start(isolationLevel);
    if (acting) await transaction.executeRaw(saying(acting)).catch((error: unknown) => giveUp(transaction, error));
    return transaction;
  };
  const inOne = async <Result>(work: (transaction: Opened) => Promise<Result>): Promise<Result> => {
    const transaction = await adapter.startTransaction();
    try {
      const result = await work(transaction);
      await transaction.executeRaw(plain("COMMIT"));
      await transaction.commit();
      return result;
    } catch (error) {
      return giveUp(transaction, error);
    }
  };
  adapter.queryRaw = (statement) => (isSilent(statement) ? query(statement) : inOne((transaction) => transaction.queryRaw(statement)));
  adapter.executeRaw = (statement) =>
    isSilent(statement) ? execute(statement) : inOne((transaction) => transaction.executeRaw(statement));
  return adapter;
}

/** Nobody acts, or the statement is one of Prisma's own reads. */
const isSilent = ({ sql }: Statement): boolean => holder().storage?.getStore() === undefined || sql.startsWith('SELECT "');

const plain = (sql: string): Statement => ({ sql, args: [], argTypes: [] });

const saying = (acting: Acting): Statement => ({
  sql: "SELECT set_config('pennyprompt.acting', $1, true)",
  args: [JSON.stringify(acting)],
  argTypes: [{ scalarType: "string", arity: "scalar" }],
});

async function giveUp(transaction: Opened, error: unknown): Promise<never> {
  await transaction.executeRaw(plain("ROLLBACK")).catch(() => undefined); // the connection is broken, so nothing is open
  await transaction.rollback();
  throw error;
}
