// Reading a request's body: whole, as UTF-8 text, up to the largest size that is accepted.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type IncomingRequest, MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "@/lib/gateway/http/request";

export type Body = Pick<IncomingRequest, "bodyText" | "bodyProblem">;

const tooLarge: Body = { bodyText: "", bodyProblem: "too_large" };

/** Resolves with the body or what is wrong with it; null when the client went away before its end. */
export function readBody(message: IncomingMessage): Promise<Body | null> {
  if (message.method === "GET" || message.method === "HEAD") return Promise.resolve({ bodyText: "" });
  if (Number(message.headers["content-length"]) > MAX_DISCARDED_BYTES) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      if (bytes <= MAX_DISCARDED_BYTES) return;
      // The rest is not even read; the reply closes the connection.
      message.removeAllListeners("data");
      message.pause();
      resolve(tooLarge);
    });
    message.on("end", () => resolve(bytes > MAX_BODY_BYTES ? tooLarge : decode(chunks)));
    message.on("close", () => resolve(null));
    message.on("error", () => resolve(null));
  });
}

function decode(chunks: Buffer[]): Body {
  const [first] = chunks;
  const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  return isUtf8(whole) ? { bodyText: whole.toString("utf8") } : { bodyText: "", bodyProblem: "not_utf8" };
}
