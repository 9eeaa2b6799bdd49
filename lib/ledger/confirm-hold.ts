// Whether a hold that was placed is still there. A process that was stalled asks before it goes on: others may have taken it for dead, and
// freed its holds and its claims.

import { processSingleton } from "@/lib/base/process-singleton";
import { prisma } from "@/lib/db/prisma";
import { Batcher } from "./commit/batcher";
import type { Commit } from "./commit/commit";
import type { Hold } from "./holds";

const MAX_PER_STATEMENT = 256;

interface Asked {
  functions: Commit["functions"];
  hold: Hold;
}

/** All streams of a process ask at the same time, so they ask together. */
const confirmations = processSingleton(
  "hold confirmations",
  () =>
    new Batcher<Asked, boolean>({
      run: confirmAll,
      maxBatch: MAX_PER_STATEMENT,
      minEagerBatch: 1,
      minParallelBatch: Number.POSITIVE_INFINITY,
      keyOf: ({ hold }) => hold.requestId,
      hasRoom: () => false,
      mayRetrySingly: () => false,
    }),
);

/** True while the request's hold is open and its idempotency key, if it has one, is still its own. @throws what Prisma throws */
export const isHoldOpen = ({ functions }: Commit, hold: Hold): Promise<boolean> => confirmations().submit({ functions, hold });

async function confirmAll(asked: readonly Asked[]): Promise<boolean[]> {
  const [first] = asked;
  if (!first) return [];
  const requests = asked.map(({ hold }) => hold.requestId);
  const accounts = asked.map(({ hold }) => hold.accountId);
  const keys = asked.map(({ hold }) => hold.claim?.key ?? null);
  const { text, values } = first.functions.confirmHolds(requests, accounts, keys);
  const open = await prisma().$queryRawUnsafe<{ requestId: string }[]>(`SELECT request_id AS "requestId" FROM ${text}`, ...values);
  const known = new Set(open.map(({ requestId }) => requestId));
  return requests.map((request) => known.has(request));
}
