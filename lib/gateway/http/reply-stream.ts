// A streamed reply as a web stream, for doors that answer with one. However it ends (read out, cancelled, failed, or left
// unread), the request ends, so that neither its hold nor its slot outlives it.

import type { GatewayReply } from "./request";

/** How long a reader may leave a chunk unread before it counts as gone. */
const STALL_TIMEOUT_MS = 30_000;

/** `chunks` is the reply's body. Nothing is asked of it before the stream is read, beyond one chunk. */
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
      // The next pull comes when this chunk has been taken.
      stall = setTimeout(() => {
        controller.error(new Error("the reader stalled"));
        void end();
      }, stallTimeoutMs).unref();
    },
    async cancel() {
      // First the request: a chunk that is being waited for comes only when the call has been stopped.
      await end();
      await iterator.return?.();
    },
  });
}
