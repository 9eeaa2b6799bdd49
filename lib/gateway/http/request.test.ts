// What must be undone at the end of a request is undone once, last in first out, whatever fails on the way.

import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { openRequest } from "./request";

const incoming = () => ({
  method: "GET",
  path: "/",
  query: "",
  headers: {},
  bodyText: "",
  remoteAddress: "",
  signal: new AbortController().signal,
});

test("undone in reverse order, one after the other, and once", async () => {
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

test("one that fails is logged and does not keep the others", async () => {
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

test("every request has an id of its own", () => {
  const ids = Array.from({ length: 1_000 }, () => openRequest(incoming()).id);
  expect(new Set(ids).size).toBe(1_000);
});

test("its end can be handed on by itself", async () => {
  const { onEnd, end } = openRequest(incoming());
  const undo = vi.fn();
  onEnd(undo);
  await end();
  expect(undo).toHaveBeenCalledOnce();
});

test("a request's properties are in fixed places: in a dictionary they are slow, and the request outlives its end", () => {
  setFlagsFromString("--allow-natives-syntax");
  const isFast: (value: object) => boolean = new Function("value", "return %HasFastProperties(value)") as never;
  setFlagsFromString("--no-allow-natives-syntax");
  const requests = Array.from({ length: 10 }, () => openRequest(incoming()));
  expect(requests.every(isFast)).toBe(true);
});
