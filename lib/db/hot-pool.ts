// Connections for the request path alone, so that a slow report never stands before a hold. The planner is told to use
// indexes: the open holds are few, their table is mostly dead rows, and a plan made while it was empty would scan it.

import type pg from "pg";
import { forgetOnce, once } from "@/lib/base/once";
import { databaseUrl, makePool } from "./pool";

const CONNECTIONS = 4;

/** Generic plans: with `auto` every call of a statement over arrays is planned anew, which costs more than running it. */
const plannerSettings = [
  "-c enable_seqscan=off",
  "-c enable_hashjoin=off",
  "-c enable_mergejoin=off",
  "-c jit=off",
  "-c plan_cache_mode=force_generic_plan",
].join(" ");

/** The process's connections for holds and settlements. */
export const hotPool = (): pg.Pool => once("hot database pool", () => makePool(databaseUrl(), CONNECTIONS, plannerSettings));

/** Ends these connections once they are idle. */
export async function closeHotPool(): Promise<void> {
  const current = hotPool();
  forgetOnce("hot database pool");
  await current.end();
}
