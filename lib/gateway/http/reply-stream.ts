// A streamed reply as a web stream, for servers that answer with one. However it ends (read out, cancelled, failed, or left unread), the
// request ends, so that neither its hold nor its slot outlives it.

import type { GatewayReply } from "./request";

/** How long a reader may leave a chunk unread before it counts as gone. */
const STALL_TIMEOUT_MS = 30_000;

/** `chunks` is the reply's body. Before the stream is read, at most one chunk is requested from it. */
export function readableOf(
  reply: GatewayReply,
  chunks: AsyncIterable<string>,
  stallTimeoutMs = STALL_TIMEOUT_MS,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let stall: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(stall);
    return reply.end();
  };
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(stall);
      try {
        const { done, value } = await iterator.next();
        if (done) {
          controller.close();
          return await end();
        }
        controller.enqueue(encoder.encode(value));
      } catch (error) {
        await end();
        throw error;
      }
      // The next pull means that this chunk was taken.
      stall = setTimeout(() => {
        controller.error(new Error("the reader stalled"));
        void end();
      }, stallTimeoutMs).unref();
    },
    async cancel() {
      // End the request first: a pending chunk arrives only once the call has been stopped.
      await end();
      await iterator.return?.();
    },
  });
}
