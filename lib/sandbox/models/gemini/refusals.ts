// Error statuses and bodies of the Gemini API. A wrong key is a 400 and a missing one a 403, not a 401.
// Source: ai.google.dev/gemini-api/docs/troubleshooting, google.rpc.Status with its details (cloud.google.com/apis/design/errors), and
// error bodies quoted in public issue threads of its clients.

import { bracketPath, type SchemaIssue } from "../schema-issue";
import type { Refusal, VendorReply } from "../vendor";

const STATUS_NAMES = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

const MESSAGE_OF_STATUS = new Map([
  [429, "You exceeded your current quota, please check your plan and billing details."],
  [500, "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"],
  [503, "The model is overloaded. Please try again later."],
]);

const INVALID_KEY = "API key not valid. Please pass a valid API key.";

export function refuse(refusal: Refusal): VendorReply {
  const { status, message, details } = explain(refusal);
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...retryHeaders(refusal) },
    body: JSON.stringify(errorBody(status, message, details), null, 2),
  };
}

function errorBody(code: number, message: string, details?: readonly object[]) {
  return {
    error: { code, message, status: STATUS_NAMES.get(code) ?? (code < 500 ? "INVALID_ARGUMENT" : "INTERNAL"), ...(details && { details }) },
  };
}

export const overloaded = () => errorBody(503, MESSAGE_OF_STATUS.get(503) ?? "");

function retryHeaders(refusal: Refusal): Record<string, string> {
  return refusal.kind === "status" && refusal.retryAfterSeconds !== undefined ? { "retry-after": String(refusal.retryAfterSeconds) } : {};
}

function explain(refusal: Refusal): { status: number; message: string; details?: readonly object[] } {
  switch (refusal.kind) {
    case "missing_key":
      return {
        status: 403,
        message:
          "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      };
    case "wrong_key":
      return {
        status: 400,
        message: INVALID_KEY,
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "API_KEY_INVALID",
            domain: "googleapis.com",
            metadata: { service: "generativelanguage.googleapis.com" },
          },
          { "@type": "type.googleapis.com/google.rpc.LocalizedMessage", locale: "en-US", message: INVALID_KEY },
        ],
      };
    case "unknown_path":
      return { status: 404, message: "Requested entity was not found." };
    case "bad_json":
      return { status: 400, message: "Invalid JSON payload received. Unexpected token." };
    case "unknown_model":
      return {
        status: 404,
        message: `models/${refusal.model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
      };
    case "invalid":
      return describeIssue(refusal.issue);
    case "broken_rule":
      return { status: 400, message: refusal.message };
    case "status":
      return describeStatus(refusal);
  }
}

function describeIssue(issue: SchemaIssue): { status: number; message: string; details?: readonly object[] } {
  const field = toFieldPath(issue.path);
  const parent = toFieldPath(issue.path.slice(0, -1));
  switch (issue.kind) {
    case "missing":
      return { status: 400, message: `* GenerateContentRequest.${field}: ${String(issue.path.at(-1))} is not specified` };
    case "bad_value":
      return {
        status: 400,
        message: field.endsWith(".role") ? "Please use a valid role: user, model." : `* GenerateContentRequest.${field}: ${issue.expected}`,
      };
    case "unknown_field": {
      const at = parent === "" ? "" : ` at '${parent}'`;
      return violation(parent, `Invalid JSON payload received. Unknown name "${String(issue.path.at(-1))}"${at}: Cannot find field.`);
    }
    case "wrong_type":
      return violation(field, `Invalid value at '${field}' (${issue.expected}), ${JSON.stringify(issue.received)}`);
  }
}

function violation(field: string, description: string) {
  const fieldViolations = [{ ...(field !== "" && { field }), description }];
  return { status: 400, message: description, details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }] };
}

function describeStatus({ status, retryAfterSeconds }: { status: number; retryAfterSeconds?: number }) {
  const message = MESSAGE_OF_STATUS.get(status) ?? `The simulated vendor was told to answer ${status}.`;
  if (status !== 429 || retryAfterSeconds === undefined) return { status, message };
  return { status, message, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` }] };
}

// Google names fields by their protocol buffer, whatever the JSON used.
function toFieldPath(path: SchemaIssue["path"]): string {
  return bracketPath(path).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
