// Anthropic's error statuses and bodies.
// Source: docs.anthropic.com/en/api/errors, and error bodies quoted in public issue threads of its clients.

import { dotPath, type SchemaIssue } from "../schema-issue";
import type { Refusal, VendorReply } from "../vendor";

const TYPE_OF_STATUS = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

const MESSAGE_OF_STATUS = new Map([
  [413, "Request exceeds the maximum size"],
  [
    429,
    "This request would exceed your organization's rate limit. Please reduce the prompt length or the maximum tokens requested, or try again later.",
  ],
  [529, "Overloaded"],
]);

export function refuse(refusal: Refusal, requestId: string): VendorReply {
  const { status, message } = explain(refusal);
  const retryAfter = refusal.kind === "status" ? refusal.retryAfterSeconds : undefined;
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...replyHeaders(requestId),
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
    body: JSON.stringify({ ...errorBody(status, message), request_id: `req_01${requestId}` }),
  };
}

export const replyHeaders = (requestId: string) => ({ "request-id": `req_01${requestId}` });

export function errorBody(status: number, message: string) {
  return { type: "error", error: { type: TYPE_OF_STATUS.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error"), message } };
}

function explain(refusal: Refusal): { status: number; message: string } {
  switch (refusal.kind) {
    case "missing_key":
      return { status: 401, message: "x-api-key header is required" };
    case "wrong_key":
      return { status: 401, message: "invalid x-api-key" };
    case "unknown_path":
      return { status: 404, message: "Not Found" };
    case "bad_json":
      return { status: 400, message: "The request body is not valid JSON" };
    case "unknown_model":
      return { status: 404, message: `model: ${refusal.model}` };
    case "invalid":
      return { status: 400, message: complaint(refusal.issue) };
    case "broken_rule":
      return { status: 400, message: refusal.message };
    case "status":
      return {
        status: refusal.status,
        message:
          MESSAGE_OF_STATUS.get(refusal.status) ??
          (refusal.status >= 500 ? "Internal server error" : `The simulated vendor was told to answer ${refusal.status}.`),
      };
  }
}

function complaint(issue: SchemaIssue): string {
  const path = dotPath(issue.path);
  const at = path === "" ? "" : `${path}: `;
  switch (issue.kind) {
    case "missing":
      return `${at}Field required`;
    case "unknown_field":
      return `${at}Extra inputs are not permitted`;
    case "wrong_type":
      return `${at}Input should be a valid ${issue.expected === "int" ? "integer" : issue.expected}`;
    case "bad_value":
      return path === "messages" ? "messages: at least one message is required" : `${at}${issue.expected}`;
  }
}
