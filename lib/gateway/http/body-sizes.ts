// How large a request's body may be, in bytes.

/** Where an endpoint takes no images. */
export const MAX_BODY_BYTES = 1_048_576;

/** Where it does. */
export const MAX_LARGE_BODY_BYTES = 32 * MAX_BODY_BYTES;

/**
 * How much of a larger body is read and discarded. A client that is still sending when its connection closes is reset, and most never see
 * the answer that says why.
 */
export const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;
