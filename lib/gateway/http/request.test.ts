// Undo steps at the end of a request run once, last in first out, whatever fails on the way.

import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { openRequest, type ReadBody, readJsonBody } from "./request";

const incoming = () => ({
  method: "GET",
  path: "/",
  query: "",
  headers: {},
  readBody: () => ({ text: "" }),
  remoteAddress: "",
  signal: new AbortController().signal,
});

test("undo steps run in reverse order, one after the other, and once", async () => {
  const request = openRequest(incoming());
  const order: string[] = [];
  request.onEnd(() => void order.push("slot"));
  request.onEnd(async () => {
    await Promise.resolve();
    order.push("hold");
  });
  await Promise.all([request.end(), request.end()]);
  await request.end();
  expect(order).toEqual(["hold", "slot"]);
});

test("a failing undo step is logged and does not stop the others", async () => {
  const errors = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const request = openRequest(incoming());
  let slotFree = false;
  request.onEnd(() => {
    slotFree = true;
  });
  request.onEnd(() => Promise.reject(new Error("away")));
  await request.end();
  expect(slotFree).toBe(true);
  expect(errors).toHaveBeenCalledOnce();
  errors.mockRestore();
});

test("every request has a unique id", () => {
  const ids = Array.from({ length: 1_000 }, () => openRequest(incoming()).id);
  expect(new Set(ids).size).toBe(1_000);
});

test("its end can be passed on as a plain function", async () => {
  const { onEnd, end } = openRequest(incoming());
  const undo = vi.fn();
  onEnd(undo);
  await end();
  expect(undo).toHaveBeenCalledOnce();
});

test("a request keeps V8's fast properties: in dictionary mode they are slow, and the request outlives its end", () => {
  setFlagsFromString("--allow-natives-syntax");
  const isFast: (value: object) => boolean = new Function("value", "return %HasFastProperties(value)") as never;
  setFlagsFromString("--no-allow-natives-syntax");
  const requests = Array.from({ length: 10 }, () => openRequest(incoming()));
  expect(requests.every(isFast)).toBe(true);
});

const withBody = (body: ReadBody) =>
  openRequest({ ...incoming(), method: "POST", headers: { "content-type": "application/json" }, readBody: () => body });

const longList = `[${"[],".repeat(40_000)}0]`;
test.each<[what: string, body: ReadBody]>([
  ["text", { text: longList }],
  ["bytes above a megabyte", { text: "", large: Buffer.from(`[${longList},"${"A".repeat(1_000_000)}"]`) }],
])("a long body of %s is read in slices, with the event loop's other work between them", async (_what, body) => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1;
    return now;
  });
  const request = withBody(body);
  let isLoaded = false;
  const loading = Promise.resolve(request.loadBody()).then(() => {
    isLoaded = true;
  });
  let turns = 0;
  for (; !isLoaded; turns++) await nextTurn();
  await loading;
  clock.mockRestore();
  expect(turns).toBeGreaterThan(20);
  expect(readJsonBody(request)).toEqual(JSON.parse(body.large?.toString() ?? body.text));
});

test("a short body is read at once, and without a promise", () => {
  const request = withBody({ text: `["${"a".repeat(65_532)}"]` });
  expect(request.loadBody()).toBeUndefined();
  expect(request.longJson).toBeUndefined();
  expect(readJsonBody(request)).toEqual(["a".repeat(65_532)]);
});

test("a fault in a long body is named by its place", async () => {
  const request = withBody({ text: `["${"a".repeat(70_000)}",x]` });
  await request.loadBody();
  expect(() => readJsonBody(request)).toThrow("The body is not valid JSON (at character 70004)");
});
