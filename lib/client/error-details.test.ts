// The client's types of errors are those of the catalogue: a code or a field that one of them lacks does not compile.

import { expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { type ErrorCode as CatalogueCode, errorCatalogue } from "@/lib/base/errors";
import { type ErrorCode, type ErrorDetails, hasCode, PennyPromptError } from "./errors";

type Catalogue = typeof errorCatalogue;

/** Without brands, and without `undefined` beside what may be absent: JSON has neither. */
type OfJson<T> = T extends number
  ? number
  : T extends readonly (infer Item)[]
    ? OfJson<Item>[]
    : T extends object
      ? { [Name in keyof T]: OfJson<Exclude<T[Name], undefined>> }
      : T;

/** The details of each code that has some, as the service sends them. */
type Sent = {
  [Code in CatalogueCode as keyof Catalogue[Code]["details"]["shape"] extends never ? never : Code]: OfJson<
    z.output<Catalogue[Code]["details"]>
  >;
};

type Read = { [Code in keyof Sent]: OfJson<ErrorDetails[Code]> };

test("the client knows the codes of the catalogue, and each field of their details", () => {
  expectTypeOf<ErrorCode>().toEqualTypeOf<CatalogueCode>();
  expectTypeOf<Read>().toEqualTypeOf<Sent>();
  const error = new PennyPromptError("as sent", {
    code: "INVALID_MODEL",
    status: errorCatalogue.INVALID_MODEL.status,
    details: { ...errorCatalogue.INVALID_MODEL.example.details, supportedModels: [], docs: "" },
    requestId: "req_1",
    retryAfterMs: undefined,
    idempotencyKey: undefined,
  });
  expect(hasCode(error, "INVALID_MODEL") && error.details.model).toBe("gpt-5-mega");
});
