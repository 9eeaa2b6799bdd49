// Assertions are for our own bugs, never for input. A failed assertion ends the request or the job with an internal error.

/** @throws Error when `condition` is false */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Closes a switch over a union: the compiler rejects a missing case. */
export function assertNever(value: never): never {
  throw new Error(`assertion failed: unexpected case ${JSON.stringify(value)}`);
}
