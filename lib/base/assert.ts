// Assertions are for our own bugs, never for input. One that fails ends the request or the job with an internal error.

/** @throws Error when `condition` is false */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Closes a switch over a union: the compiler refuses a case that was forgotten. */
export function assertNever(value: never): never {
  throw new Error(`assertion failed: unexpected case ${JSON.stringify(value)}`);
}
