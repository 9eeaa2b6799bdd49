// Error statuses and bodies of OpenAI, xAI and DeepSeek. They look alike but differ: xAI responds to a wrong key with 400 and a body of two
// strings, DeepSeek to an unknown model with 400.
// Source: platform.openai.com/docs/guides/error-codes, docs.x.ai/docs/key-information/debugging,
// api-docs.deepseek.com/quick_start/error_codes, and error bodies quoted in public issue threads of their clients.

import { bracketPath, jsonTypeOf, type SchemaIssue } from "../schema-issue";
import type { Refusal, VendorReply } from "../vendor";

type Shape = { status: number; body: string };

/** Adds the headers common to all errors of this wire format. */
export function toReply(refusal: Refusal, shape: Shape, headers: Record<string, string>): VendorReply {
  const retryAfter = refusal.kind === "status" ? refusal.retryAfterSeconds : undefined;
  return {
    ...shape,
    headers: { "content-type": "application/json", ...headers, ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }) },
  };
}

export function openaiRefusal(refusal: Refusal): Shape {
  switch (refusal.kind) {
    case "missing_key":
      return openaiError(
        401,
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      );
    case "wrong_key":
      return openaiError(
        401,
        `Incorrect API key provided: ${maskKey(refusal.key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
        { code: "invalid_api_key" },
      );
    case "unknown_path":
      return openaiError(404, `Invalid URL (POST ${refusal.path})`);
    case "bad_json":
      return openaiError(
        400,
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      );
    case "unknown_model":
      return openaiError(404, `The model \`${refusal.model}\` does not exist or you do not have access to it.`, {
        code: "model_not_found",
      });
    case "invalid":
      return openaiIssue(refusal.issue);
    case "broken_rule":
      return openaiError(400, refusal.message, refusal);
    case "status":
      return openaiStatus(refusal.status);
  }
}

function openaiIssue(issue: SchemaIssue): Shape {
  const param = bracketPath(issue.path);
  if (issue.path.length === 0) return openaiRefusal({ kind: "bad_json" });
  switch (issue.kind) {
    case "missing":
      return openaiError(400, `Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });
    case "unknown_field":
      return openaiError(400, `Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });
    case "wrong_type":
      return openaiError(400, `Invalid type for '${param}': expected ${issue.expected}, but got ${jsonTypeOf(issue.received)} instead.`, {
        param,
        code: "invalid_type",
      });
    case "bad_value":
      return openaiError(400, `Invalid '${param}': expected ${issue.expected}, but got ${JSON.stringify(issue.received)} instead.`, {
        param,
        code: "invalid_value",
      });
  }
}

function openaiStatus(status: number): Shape {
  if (status === 429)
    return openaiError(429, "Rate limit reached for requests. Limit: 3 / min. Please try again later.", {
      type: "requests",
      code: "rate_limit_exceeded",
    });
  if (status >= 500)
    return openaiError(
      status,
      status === 503
        ? "The engine is currently overloaded, please try again later"
        : "The server had an error while processing your request. Sorry about that!",
      { type: "server_error" },
    );
  if (status === 413) return openaiError(413, "The request body is too large.");
  return openaiError(status, `The simulated vendor was told to answer ${status}.`);
}

export function openaiError(status: number, message: string, more: { type?: string; param?: string; code?: string } = {}): Shape {
  return {
    status,
    body: JSON.stringify(
      { error: { message, type: more.type ?? "invalid_request_error", param: more.param ?? null, code: more.code ?? null } },
      null,
      2,
    ),
  };
}

export function xaiRefusal(refusal: Refusal): Shape {
  switch (refusal.kind) {
    case "missing_key":
      return xaiError(
        401,
        "The request does not have valid authentication credentials",
        "No API key provided. Specify your API key in the Authorization header: 'Authorization: Bearer <API key>'.",
      );
    case "wrong_key":
      return xaiError(
        400,
        "Client specified an invalid argument",
        `Incorrect API key provided: ${maskKey(refusal.key)}. You can obtain an API key from https://console.x.ai.`,
      );
    case "unknown_path":
      return xaiError(
        404,
        "Some requested entity was not found",
        "No handler found on route. Please double check your URL and consult https://api.x.ai/docs for more information.",
      );
    case "bad_json":
      return { status: 400, body: "Failed to parse the request body as JSON" };
    case "unknown_model":
      return xaiError(
        404,
        "Some requested entity was not found",
        `The model ${refusal.model} does not exist or your team does not have access to it. Please ensure you're using the correct API key and model name.`,
      );
    case "invalid":
      return { status: 422, body: deserializeComplaint(refusal.issue) };
    case "broken_rule":
      return xaiError(400, "Client specified an invalid argument", refusal.message);
    case "status":
      return xaiStatus(refusal.status);
  }
}

function xaiStatus(status: number): Shape {
  if (status === 429) return xaiError(429, "Some resource has been exhausted", "Too many requests for the team. Please slow down.");
  if (status === 503) return xaiError(503, "The service is currently unavailable", "The model is at capacity. Please try again later.");
  if (status >= 500) return xaiError(status, "Internal error", "The service ran into an unexpected error.");
  return xaiError(status, "Client specified an invalid argument", `The simulated vendor was told to answer ${status}.`);
}

function xaiError(status: number, code: string, error: string): Shape {
  return { status, body: JSON.stringify({ code, error }) };
}

export function deepseekRefusal(refusal: Refusal): Shape {
  switch (refusal.kind) {
    case "missing_key":
      return deepseekError(401, "Authentication Fails (auth header format should be Bearer sk-...)", "authentication_error");
    case "wrong_key":
      return deepseekError(401, `Authentication Fails, Your api key: ****${refusal.key.slice(-4)} is invalid`, "authentication_error");
    case "unknown_path":
      return { status: 404, body: "" };
    case "bad_json":
      return deepseekError(400, "Failed to parse the request body as JSON");
    case "unknown_model":
      return deepseekError(400, "Model Not Exist");
    case "invalid":
      return deepseekError(400, deserializeComplaint(refusal.issue));
    case "broken_rule":
      return deepseekError(400, refusal.message);
    case "status":
      return deepseekStatus(refusal.status);
  }
}

function deepseekStatus(status: number): Shape {
  if (status === 402) return deepseekError(402, "Insufficient Balance", "unknown_error");
  if (status === 429) return deepseekError(429, "Rate limit reached. Please pace your requests.", "rate_limit_error");
  if (status >= 500)
    return deepseekError(
      status,
      status === 503 ? "Service is too busy. Please try again later." : "Internal server error",
      "service_unavailable_error",
    );
  return deepseekError(status, `The simulated vendor was told to answer ${status}.`);
}

function deepseekError(status: number, message: string, type = "invalid_request_error"): Shape {
  return { status, body: JSON.stringify({ error: { message, type, param: null, code: "invalid_request_error" } }) };
}

function deserializeComplaint(issue: SchemaIssue): string {
  const prefix = "Failed to deserialize the JSON body into the target type";
  const parent = bracketPath(issue.path.slice(0, -1));
  const at = parent === "" ? "" : `${parent}: `;
  if (issue.kind === "missing") return `${prefix}: ${at}missing field \`${String(issue.path.at(-1))}\``;
  const rule =
    issue.kind === "wrong_type"
      ? `invalid type: ${jsonTypeOf(issue.received)}, expected ${issue.expected}`
      : `invalid value: ${JSON.stringify(issue.received)}, expected ${issue.expected}`;
  return `${prefix}: ${bracketPath(issue.path)}: ${rule}`;
}

const maskKey = (key: string): string => `${key.slice(0, 2)}***${key.slice(-2)}`;
