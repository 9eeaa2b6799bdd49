// Distinguishes a statement that the database refused from a connection that broke: after a refusal nothing was committed; after a broken
// connection the outcome is unknown.

import type { PrismaClientKnownRequestError } from "@prisma/client/runtime/client";

const connectionStates = /^(08|57P|58)/;

/** True when the database reported an error of the statement itself, so that its transaction was rolled back. */
export function isStatementError(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && !connectionStates.test(state);
}

/** The SQLSTATE of PostgreSQL's own error, also inside Prisma's error; null for any other error. */
export function sqlStateOf(error: unknown): string | null {
  const wrapped = stateInPrismaError(error);
  if (wrapped !== null) return wrapped;
  // Only errors of the database have a severity: system codes such as EPIPE may look like an SQLSTATE.
  if (typeof error !== "object" || error === null || !("code" in error) || !("severity" in error)) return null;
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** Prisma's adapter keeps the code of a database error, and of no other error. */
function stateInPrismaError(error: unknown): string | null {
  const { meta } = (error ?? {}) as Partial<PrismaClientKnownRequestError>;
  const { cause } = (meta?.driverAdapterError ?? {}) as { cause?: { originalCode?: unknown } };
  const state = cause?.originalCode;
  return typeof state === "string" ? state : null;
}
