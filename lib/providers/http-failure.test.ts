import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { anthropicFormat } from "./anthropic";
import { geminiFormat } from "./gemini";
import { kindOfStatus, quoteProvider, readHttpRefusal } from "./http-failure";
import { openaiFormat } from "./openai";
import { refusalCases } from "./testing/replay";
import { isProviderFailure } from "./types";

const formats = [openaiFormat, anthropicFormat, geminiFormat];

let restoreClock: () => void;
beforeEach(() => {
  restoreClock = setClock(() => Date.UTC(2026, 0, 1));
});
afterEach(() => restoreClock());

describe.each(formats)("refusals of $id", (format) => {
  test.each(refusalCases(format.id))("$status $name: $kind", ({ status, headers, body, kind, retryAfterMs }) => {
    const failure = format.readError(status, headers, typeof body === "string" ? body : JSON.stringify(body));
    expect(failure).toMatchObject({ kind, retryAfterMs, httpStatus: status, accepted: false });
    expect(failure.message).toMatch(new RegExp(`^HTTP ${status}: `));
  });

  test("a body that is not JSON, not an object, or truncated is judged by its status alone", () => {
    for (const body of ["", "null", "[]", "7", '"x"', "{", '{"error":', '{"error":null}', '{"error":[]}', '{"error":{}}', "\u0000"]) {
      expect(format.readError(503, {}, body).kind).toBe("unavailable");
      expect(format.readError(400, {}, body).kind).toBe("rejected");
    }
  });

  test("it never throws, whatever the body", () => {
    const header = fc.option(fc.oneof(fc.string(), fc.array(fc.string())), { nil: undefined });
    const headers = fc.record({ "retry-after": header, "retry-after-ms": header });
    const error = fc.record(
      { message: fc.jsonValue(), code: fc.jsonValue(), type: fc.jsonValue(), status: fc.jsonValue(), details: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ error: fc.oneof(error, fc.jsonValue()) }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.integer(), headers, body, (status, givenHeaders, givenBody) => {
        const failure = format.readError(status, givenHeaders, givenBody);
        expect(isProviderFailure(failure)).toBe(true);
        expect(failure.message.length).toBeLessThan(400);
        expect(failure.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("deep nesting does not overflow the stack", () => {
    expect(format.readError(400, {}, `{"error":${"[".repeat(200_000)}`).kind).toBe("rejected");
  });
});

test("every status has a kind", () => {
  const expected = {
    rejected: [400, 413, 422],
    misconfigured: [301, 307, 401, 402, 403, 404, 405, 410, 415],
    unavailable: [0, 100, 408, 409, 425, 429, 500, 502, 503, 504, 520, 529, 599, Number.NaN],
  };
  for (const [kind, statuses] of Object.entries(expected)) for (const status of statuses) expect(kindOfStatus(status)).toBe(kind);
});

describe("Retry-After", () => {
  const retryAfterMs = (headers: Record<string, string | string[]>) =>
    readHttpRefusal({ status: 429, headers, body: "" }, () => undefined).retryAfterMs;

  test.each([
    ["whole seconds", { "retry-after": "7" }, 7000],
    ["parts of a second are rounded up", { "retry-after": "0.0004" }, 1],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
    ["a date that has passed", { "retry-after": "Thu, 01 Jan 2015 00:01:00 GMT" }, 0],
    ["a header sent twice", { "retry-after": ["3", "9"] }, 3000],
    ["milliseconds are finer", { "retry-after": "3", "retry-after-ms": "250" }, 250],
    ["more than a day is a day", { "retry-after": "1e9".replace("e9", "0".repeat(300)) }, 86_400_000],
    ["a negative number", { "retry-after": "-5" }, undefined],
    ["words", { "retry-after": "soon" }, undefined],
    ["nothing", { "retry-after": "" }, undefined],
    ["an empty list", { "retry-after": [] }, undefined],
  ])("%s", (_, headers, expected) => expect(retryAfterMs(headers)).toBe(expected));
});

describe("a provider's words", () => {
  test.each([
    ["Incorrect API key provided: sk-proj-abcdefghijklmnop.", "Incorrect API key provided: [key]"],
    ["key sk-ant-api03-AAAA_bbbb-CCCC refused", "key [key] refused"],
    ["Incorrect API key provided: xa***yz. You can", "Incorrect API key provided: [key] You can"],
    ["Invalid API key: AIzaSyD-1234567890abcdefghijklmnopqrstu", "Invalid API key: [key]"],
    ["bad header authorization: bearer abc.def.ghi", "bad header authorization: Bearer [key]"],
    ["no keys  in\n here", "no keys in here"],
  ])("%s", (words, expected) => expect(quoteProvider(words)).toBe(expected));

  test("are cut at 300 characters, after the keys are gone", () => {
    expect(quoteProvider(`${"x".repeat(295)} sk-abcdefghijklmnop`)).toBe(`${"x".repeat(295)} [key`);
    expect(openaiFormat.readError(400, {}, "y".repeat(1_000_000)).message).toBe(`HTTP 400: ${"y".repeat(300)}`);
  });

  test("of an unknown JSON shape are not quoted", () => {
    expect(openaiFormat.readError(400, {}, '{"prompt":"a secret"}').message).toBe("HTTP 400: ");
  });
});
