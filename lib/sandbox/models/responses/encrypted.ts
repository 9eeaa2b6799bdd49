// Reasoning as OpenAI hands it out: encrypted, for the same model only. Here it is signed and readable, which a client cannot tell.

import { createHmac } from "node:crypto";

const KEY = "the simulated OpenAI's own key";

const sign = (body: string): string => createHmac("sha256", KEY).update(body).digest("base64url");

export function encryptReasoning(model: string, thought: string): string {
  const body = Buffer.from(JSON.stringify({ model, thought })).toString("base64url");
  return `gAAAA${body}.${sign(body)}`;
}

/** True for reasoning that this model wrote, unchanged. */
export function canDecrypt(model: string, encrypted: string): boolean {
  const [body = "", signature = ""] = encrypted.replace(/^gAAAA/, "").split(".");
  if (signature !== sign(body)) return false;
  const { model: maker } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as { model: string };
  return maker === model;
}
