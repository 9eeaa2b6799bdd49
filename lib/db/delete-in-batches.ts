// Deletes from tables that anybody can fill: all old rows must go in one run, and no single statement may take minutes.

import { type Prisma, prisma } from "./prisma";

const AT_ONCE = 10_000;
/** More than a run can need: a statement that always deletes as many as it may would never end. */
const MOST_BATCHES = 1_000;

/** Repeats a statement that deletes at most `atOnce` rows, until it finds no more. */
export async function deleteInBatches(statement: (atOnce: number) => Prisma.Sql, atOnce = AT_ONCE): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    if ((await prisma().$executeRaw(statement(atOnce))) < atOnce) return;
  }
}
