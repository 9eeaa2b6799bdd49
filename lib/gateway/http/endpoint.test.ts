// The bodies that leave the service: one format for every error code, and 503 always with Retry-After.

import { expect, test } from "vitest";
import { AppError, type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { nanoUsd } from "@/lib/base/money";
import { errorReply } from "./endpoint";
import { openRequest } from "./request";

const request = () =>
  openRequest({
    method: "POST",
    path: "/",
    query: "",
    headers: {},
    readBody: () => ({ text: "" }),
    remoteAddress: "",
    signal: new AbortController().signal,
  });

const statuses: Record<ErrorCode, number> = {
  INVALID_REQUEST: 400,
  INVALID_MODEL: 400,
  INVALID_API_KEY: 401,
  KEY_NOT_ALLOWED: 403,
  INSUFFICIENT_BALANCE: 402,
  SPEND_CAP_REACHED: 402,
  PAYMENT_VERIFICATION_FAILED: 402,
  PAYMENT_REQUIRED: 402,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_IN_PROGRESS: 409,
  PAYMENT_CONFLICT: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SETTLEMENT_PENDING: 503,
  SERVICE_BUSY: 503,
  PROVIDER_BUSY: 503,
  SHUTTING_DOWN: 503,
};

test("the catalogue holds the contract's codes and no other", () => {
  expect(Object.keys(errorCatalogue)).toEqual(Object.keys(statuses));
});

test.each(Object.entries(statuses) as [ErrorCode, number][])(
  "%s has status %i, a message, details with a link, and a request id",
  (code, status) => {
    const incoming = request();
    const reply = errorReply(incoming, new AppError(code));
    expect(reply.status).toBe(status);
    const body = JSON.parse(String(reply.body)) as { error: string; details: { docs: string } };
    expect(body).toEqual({
      error: errorCatalogue[code].title,
      code,
      details: { docs: expect.stringMatching(new RegExp(`^http.*/docs/errors/${code}$`)) },
      requestId: incoming.id,
    });
    expect(reply.headers["x-request-id"]).toBe(incoming.id);
    expect(reply.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
  },
);

test("SETTLEMENT_PENDING keeps the Retry-After that its thrower set", () => {
  const error = new AppError("SETTLEMENT_PENDING", { headers: { "retry-after": "12" } });
  expect(errorReply(request(), error).headers["retry-after"]).toBe("12");
});

test("context and cause are not sent; details are, with exact amounts", () => {
  const error = new AppError("INTERNAL_ERROR", {
    details: { cost: nanoUsd(1), skipped: undefined },
    context: { provider: "said something" },
    cause: new Error("secret cause"),
  });
  const { body } = errorReply(request(), error);
  expect(body).toContain('"cost":0.000000001');
  expect(body).not.toMatch(/said something|secret cause|skipped/);
});

test.each([
  [{ retryable: false }, "false"],
  [{ retryable: true }, undefined],
  [{}, undefined],
])("an error with %o has x-should-retry %s, for clients that would retry every 5xx", (details, header) => {
  expect(errorReply(request(), new AppError("INTERNAL_ERROR", { details })).headers["x-should-retry"]).toBe(header);
});
