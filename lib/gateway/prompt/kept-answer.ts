// Answers that are kept for a payment, which is their only key: they are encrypted under two things that only its sender has, the payment
// and the request's body, and under our pepper. So the same payment with the same body gets the first answer again, and nobody else reads
// it: not from a copy of the database, nor with the pepper, unless they guess the whole body.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { pepper, peppers } from "@/lib/base/pepper";
import type { GatewayRequest } from "../http/request";

export type RequestContent = Pick<GatewayRequest, "method" | "path" | "bodyText" | "largeBody" | "headers">;

/** No answer begins with it: they are JSON or server-sent events. */
const SEALED = "sealed.";
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the body of an answer. `claim` names the payment. */
export function sealAnswer(body: string, claim: string, request: RequestContent): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(claim, request, pepper()), iv);
  const sealed = Buffer.concat([iv, cipher.update(body, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return SEALED + sealed.toString("base64url");
}

/**
 * The body of an answer, as it was sent; an unsealed body stays as it is.
 * @throws Error when the pepper was changed since
 */
export function openAnswer(kept: string, claim: string, request: RequestContent): string {
  if (!kept.startsWith(SEALED)) return kept;
  const bytes = Buffer.from(kept.slice(SEALED.length), "base64url");
  for (const each of peppers()) {
    const decipher = createDecipheriv(CIPHER, keyOf(claim, request, each), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch {
      // Sealed under the other pepper.
    }
  }
  throw new Error("a kept answer cannot be opened: the pepper was changed");
}

/** The digest begins differently than the claim's, which is stored beside the answer. */
function keyOf(claim: string, { method, path, bodyText, largeBody, headers }: RequestContent, under: string): Buffer {
  const secret = createHash("sha256")
    .update(`kept answer\n${claim}\n${method} ${path}\n${headers["payment-proof"] ?? ""}\n`)
    .update(largeBody ?? bodyText)
    .digest();
  return Buffer.from(hkdfSync("sha256", secret, under, "kept answer", 32));
}
