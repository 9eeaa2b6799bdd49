// JSON-RPC 2.0: finds the method, and answers one call or a batch of them.

import { z } from "zod";
import { internalError, invalidRequest, methodNotFound, parseError, RpcError } from "./rpc-error";

export type Method = (params: readonly unknown[]) => unknown;
export type Methods = ReadonlyMap<string, Method>;

const call = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).nullish(),
});

interface Answer {
  jsonrpc: "2.0";
  id: string | number | null;
}

const MAX_CALLS = 1_000;

/** The response as JSON; null for a notification, which gets none. */
export function answerText(methods: Methods, text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return JSON.stringify(errorAnswer(null, parseError()));
  }
  if (!Array.isArray(body)) {
    const answer = answerOne(methods, body);
    return answer === null ? null : JSON.stringify(answer);
  }
  if (body.length === 0 || body.length > MAX_CALLS) return JSON.stringify(errorAnswer(null, invalidRequest()));
  const answers = body.flatMap((one) => answerOne(methods, one) ?? []);
  return answers.length === 0 ? null : JSON.stringify(answers);
}

function answerOne(methods: Methods, body: unknown): Answer | null {
  const parsed = call.safeParse(body);
  if (!parsed.success) return errorAnswer(null, invalidRequest());
  const { id, method, params } = parsed.data;
  const known = methods.get(method);
  if (id === undefined && known === undefined) return null;
  try {
    if (known === undefined) throw methodNotFound();
    const result = known(params ?? []);
    return id === undefined ? null : Object.assign({ jsonrpc: "2.0" as const, id }, { result });
  } catch (error) {
    return errorAnswer(id ?? null, error);
  }
}

function errorAnswer(id: string | number | null, error: unknown): Answer {
  // Our own bug: logged for the operator, not returned to the caller.
  if (!(error instanceof RpcError)) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const { code, message, detail } = error instanceof RpcError ? error : internalError();
  return Object.assign({ jsonrpc: "2.0" as const, id }, { error: { code, message, data: detail } });
}
