// JSON-RPC 2.0: finds the method, and answers one call or a batch of them.

import { internalError, invalidRequest, methodNotFound, parseError, RpcError } from "./rpc-error";

export type Method = (params: readonly unknown[]) => unknown;
export type Methods = ReadonlyMap<string, Method>;

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

function answerOne(methods: Methods, body: unknown): object | null {
  const { jsonrpc, id, method, params }: Record<string, unknown> = { ...(body as object | null) };
  if (jsonrpc !== "2.0" || typeof method !== "string" || !Array.isArray(params ?? [])) return errorAnswer(null, invalidRequest());
  const known = methods.get(method);
  if (id === undefined && known === undefined) return null;
  try {
    if (known === undefined) throw methodNotFound();
    const result = known((params ?? []) as unknown[]);
    return id === undefined ? null : { jsonrpc: "2.0", id, result };
  } catch (error) {
    return errorAnswer(id ?? null, error);
  }
}

function errorAnswer(id: unknown, error: unknown): object {
  // Our own bug: logged for the operator, not returned to the caller.
  if (!(error instanceof RpcError)) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const { code, message, detail } = error instanceof RpcError ? error : internalError();
  return { jsonrpc: "2.0", id, error: { code, message, data: detail } };
}
