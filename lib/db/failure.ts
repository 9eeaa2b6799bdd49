// Telling a statement that the database refused from a connection that broke: after the first nothing was committed; after
// the second nobody knows.

import type { PrismaClientKnownRequestError } from "@prisma/client/runtime/client";

const connectionStates = /^(08|57P|58)/;

/** True when the database answered with an error of the statement itself, so that its transaction was rolled back. */
export function isStatementError(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && !connectionStates.test(state);
}

/** The code of PostgreSQL's own error, also where Prisma wraps it; null for any other. */
export function sqlStateOf(error: unknown): string | null {
  const wrapped = stateInPrismaError(error);
  if (wrapped !== null) return wrapped;
  // Only the database tells a severity: codes of the system, such as EPIPE, may look like its own.
  if (typeof error !== "object" || error === null || !("code" in error) || !("severity" in error)) return null;
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** Prisma's adapter keeps the code of an error of the database, and none of others. */
function stateInPrismaError(error: unknown): string | null {
  const { meta } = (error ?? {}) as Partial<PrismaClientKnownRequestError>;
  const { cause } = (meta?.driverAdapterError ?? {}) as { cause?: { originalCode?: unknown } };
  const state = cause?.originalCode;
  return typeof state === "string" ? state : null;
}
