// Telling a statement that the database refused from a connection that broke: after the first nothing was committed; after
// the second nobody knows.

const connectionStates = /^(08|57P|58)/;

/** True when the database answered with an error of the statement itself, so that its transaction was rolled back. */
export function isStatementError(error: unknown): boolean {
  // Only the database tells a severity: codes of the system, such as EPIPE, may look like its own.
  if (typeof error !== "object" || error === null || !("code" in error) || !("severity" in error)) return false;
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !connectionStates.test(code);
}
