// The Gemini API. Streams require `alt=sse`: without it the real API returns a JSON array, which none of our clients uses.

import type { IncomingHttpHeaders } from "node:http";
import { overloaded, refuse } from "./gemini/refusals";
import { writeContent, writeContentChunks } from "./gemini/reply";
import { readGeminiCall } from "./gemini/request";
import type { Vendor, VendorEndpoint } from "./vendor";

const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

export const gemini: Vendor = {
  provider: "gemini",
  basePath: "/gemini",
  modelNames: /^(gemini|gemma)-/,
  limitBoundsReasoning: true,
  callsComeWhole: true,
  readPath,
  readKey,
  readCall: readGeminiCall,
  replyHeaders: () => ({ vary: "Origin, X-Origin, Referer" }),
  refuse,
  writeJson: writeContent,
  writeStream: writeContentChunks,
  writeLateError: ({ stream }) => (stream ? `data: ${JSON.stringify(overloaded())}\r\n\r\n` : JSON.stringify(overloaded(), null, 2)),
};

function readPath(path: string, query: URLSearchParams): VendorEndpoint | null {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined) return null;
  const stream = method === "streamGenerateContent";
  return stream && query.get("alt") !== "sse" ? null : { model, stream };
}

function readKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  return [headers["x-goog-api-key"]].flat()[0] ?? query.get("key") ?? undefined;
}
