import { expect, test, vi } from "vitest";
import { AppError, type ErrorCode, errorCatalogue, isAppError } from "./errors";

const codes = Object.keys(errorCatalogue) as ErrorCode[];

test.each(codes)("%s has an error status, a title, retry advice and a fix", (code) => {
  const { status, title, retry, fix } = errorCatalogue[code];
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(600);
  for (const text of [title, retry, fix]) expect(text.trim().length).toBeGreaterThan(5);
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
