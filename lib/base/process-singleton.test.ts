import { afterEach, expect, test, vi } from "vitest";
import { forgetOnce, once, onceKept } from "./process-singleton";

afterEach(() => forgetOnce("a thing of this test"));

test("a thing is made once, and the same one is given to everybody", () => {
  const make = vi.fn(() => ({}));
  expect(once("a thing of this test", make)).toBe(once("a thing of this test", make));
  expect(make).toHaveBeenCalledTimes(1);
});

test("another copy of the module, as bundlers make them, gives the same thing", async () => {
  const thing = once("a thing of this test", () => ({}));
  vi.resetModules();
  const copy = await import("./process-singleton");
  expect(copy.once).not.toBe(once);
  expect(copy.once("a thing of this test", () => ({}))).toBe(thing);
});

test("undefined is a thing too, and a maker that throws made none", () => {
  const make = vi.fn(() => undefined);
  expect(() =>
    once("a thing of this test", () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  once("a thing of this test", make);
  once("a thing of this test", make);
  expect(make).toHaveBeenCalledTimes(1);
});

test("what is forgotten is made anew", () => {
  const thing = once("a thing of this test", () => ({}));
  forgetOnce("a thing of this test");
  expect(once("a thing of this test", () => ({}))).not.toBe(thing);
});

test("a kept thing is the one that everybody has, made when it is first asked for, and anew once it was forgotten", async () => {
  const make = vi.fn(() => ({}));
  const read = onceKept("a thing of this test", make);
  expect(make).not.toHaveBeenCalled();
  const thing = read();
  expect(read()).toBe(thing);
  expect(once("a thing of this test", make)).toBe(thing);
  expect(make).toHaveBeenCalledTimes(1);
  vi.resetModules();
  const copy = await import("./process-singleton");
  copy.forgetOnce("a thing of this test");
  const other = copy.once("a thing of this test", () => ({}));
  expect(read()).toBe(other);
  expect(other).not.toBe(thing);
});

test("a kept thing whose maker throws is not there, and is made when it can be", () => {
  let isBroken = true;
  const read = onceKept("a thing of this test", () => {
    if (isBroken) throw new Error("no");
    return {};
  });
  expect(read).toThrow("no");
  isBroken = false;
  expect(read()).toBe(read());
});
