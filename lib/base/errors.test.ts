import { expect, test, vi } from "vitest";
import { AppError, errorCodes, errorRow, isAppError } from "./errors";

test.each(errorCodes)("%s has statuses of errors, a title, a cause, retry advice and a fix", (code) => {
  const { status, title, when, retry, fix, anthropic } = errorRow(code);
  expect(anthropic.status ?? status).toBeGreaterThanOrEqual(400);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  for (const text of [title, when, retry, fix]) expect(text.trim().length).toBeGreaterThan(5);
  expect(new AppError(code)).toMatchObject({ code, status, message: title, details: {}, headers: {}, context: {} });
});

test("an error keeps public text apart from logged context", () => {
  const cause = new Error("the driver's own words");
  const error = new AppError("INTERNAL_ERROR", { message: "public", details: { reason: "internal" }, context: { secret: 1 }, cause });
  expect(error.message).toBe("public");
  expect(error.details).toEqual({ reason: "internal" });
  expect(error.context).toEqual({ secret: 1 });
  expect(error.cause).toBe(cause);
});

test("isAppError recognises an error of another copy of the module, where instanceof would fail", async () => {
  vi.resetModules();
  const copy = await import("./errors");
  const error = new copy.AppError("NOT_FOUND");
  expect(error).not.toBeInstanceOf(AppError);
  expect(isAppError(error)).toBe(true);
});

test("isAppError is false for everything else", () => {
  for (const other of [
    null,
    undefined,
    "NOT_FOUND",
    new Error("x"),
    { code: "NOT_FOUND", status: 404 },
    Object.assign(new Error(), { name: "AppError" }),
  ]) {
    expect(isAppError(other)).toBe(false);
  }
});
