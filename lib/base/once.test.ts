import { afterEach, expect, test, vi } from "vitest";
import { forgetOnce, once } from "./once";

afterEach(() => forgetOnce("a thing of this test"));

test("a thing is made once, and the same one is given to everybody", () => {
  const make = vi.fn(() => ({}));
  expect(once("a thing of this test", make)).toBe(once("a thing of this test", make));
  expect(make).toHaveBeenCalledTimes(1);
});

test("another copy of the module, as bundlers make them, gives the same thing", async () => {
  const thing = once("a thing of this test", () => ({}));
  vi.resetModules();
  const copy = await import("./once");
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
