// RPC errors with a validator's codes and messages: clients rely on both.

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** Structured detail, the error's `data`. */
    readonly detail?: object,
  ) {
    super(message);
  }
}

export const parseError = () => new RpcError(-32700, "Parse error");
export const invalidRequest = (message = "Invalid request") => new RpcError(-32600, message);
export const methodNotFound = () => new RpcError(-32601, "Method not found");
export const invalidParams = (message: string) => new RpcError(-32602, message);
export const internalError = () => new RpcError(-32603, "Internal error");

/** `simulation` is the result of the preflight simulation. */
export const preflightFailure = (reason: string, simulation: object) =>
  new RpcError(-32002, `Transaction simulation failed: ${reason}`, simulation);
export const signatureFailure = () => new RpcError(-32003, "Transaction signature verification failure");
export const blockNotAvailable = (slot: number) => new RpcError(-32004, `Block not available for slot ${slot}`);
export const unsupportedVersion = (version: number) =>
  new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following ` +
      `configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
export const minContextSlotNotReached = (contextSlot: number) =>
  new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot });
