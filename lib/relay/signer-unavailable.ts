// The signer cannot be reached, or cannot sign at the moment. Nothing was signed; the same operation succeeds later.

export class SignerUnavailable extends Error {
  /** @param reason the problem and its cure: it goes into logs, and holds no secret */
  constructor(readonly reason: string) {
    super(`The signer does not sign at the moment: ${reason}`);
    this.name = "SignerUnavailable";
  }
}

/** True for a SignerUnavailable of any copy of this module. */
export const isSignerUnavailable = (error: unknown): error is SignerUnavailable =>
  error instanceof Error && error.name === "SignerUnavailable";
