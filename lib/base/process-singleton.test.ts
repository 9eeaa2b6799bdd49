import { afterEach, expect, test, vi } from "vitest";
import { forgetSingleton, processSingleton, replaceSingleton, setSingletonsAside } from "./process-singleton";

const name = "a value of this test";

afterEach(() => forgetSingleton(name));

test("a value is created once, at the first read, and every reader of its name gets the same value", () => {
  const create = vi.fn(() => ({}));
  const read = processSingleton(name, create);
  expect(create).not.toHaveBeenCalled();
  const value = read();
  expect(read()).toBe(value);
  expect(processSingleton(name, create)()).toBe(value);
  expect(create).toHaveBeenCalledTimes(1);
});

test("a bundler's second copy of the module gives the same value, and forgets it for all copies", async () => {
  const read = processSingleton(name, () => ({}));
  const value = read();
  vi.resetModules();
  const copy = await import("./process-singleton");
  expect(copy.processSingleton).not.toBe(processSingleton);
  expect(copy.processSingleton(name, () => ({}))()).toBe(value);
  copy.forgetSingleton(name);
  const other = copy.processSingleton(name, () => ({}))();
  expect(other).not.toBe(value);
  expect(read()).toBe(other);
});

test("undefined is a value too", () => {
  const create = vi.fn(() => undefined);
  processSingleton(name, create)();
  processSingleton(name, create)();
  expect(create).toHaveBeenCalledTimes(1);
});

test("a read whose creation throws leaves no value, and the next read creates it", () => {
  let isBroken = true;
  const read = processSingleton(name, () => {
    if (isBroken) throw new Error("no");
    return {};
  });
  expect(read).toThrow("no");
  isBroken = false;
  expect(read()).toBe(read());
});

test("a replaced value is what every reader gets from then on", () => {
  const read = processSingleton(name, () => "created");
  expect(read()).toBe("created");
  replaceSingleton(name, "replaced");
  expect(read()).toBe("replaced");
});

test("values set aside are read anew, and come back as they were", () => {
  const read = processSingleton<object>(name, () => ({}));
  const before = read();
  const bringBack = setSingletonsAside();
  expect(read()).not.toBe(before);
  bringBack();
  expect(read()).toBe(before);
});
