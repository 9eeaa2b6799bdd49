// Messages for wallets that do not sign.

const USER_REJECTED = 4001;
export const ALREADY_ASKING = -32_002;

/** True when the person declined in the wallet. */
export function isRejection(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error || isObject(cause); cause = causeOf(cause)) {
    if (isObject(cause) && cause.code === USER_REJECTED) return true;
    if (cause instanceof Error && /reject|denied|declined|cancell?ed/i.test(`${cause.name} ${cause.message}`)) return true;
  }
  return false;
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Wallet libraries wrap the wallet's error, under one of two names. */
const causeOf = (error: unknown): unknown => (isObject(error) ? (error.cause ?? error.error) : undefined);

/** The problem and its cure, in words. */
export function wordsFor(error: unknown): string {
  if (isRejection(error)) return "You declined in the wallet. Nothing was signed.";
  if (isObject(error) && error.code === ALREADY_ASKING) return "Your wallet has an open request. Answer it there first.";
  return "The wallet did not sign. Unlock it, then try again.";
}
