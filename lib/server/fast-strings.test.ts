// Proves that strings are fast once there is a door, although a module that is loaded extends String.

import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { makeDoor } from "./door";

setFlagsFromString("--allow-natives-syntax");
const areStringsFast = new Function("return %HasFastProperties(String.prototype)") as () => boolean;

const extendString = (): unknown => class extends String {};

test("the methods of strings are fast when there is a door, and stay so whatever extends String", () => {
  extendString();
  expect(areStringsFast()).toBe(false);
  makeDoor({ pages: async () => undefined });
  expect(areStringsFast()).toBe(true);
  extendString();
  expect(areStringsFast()).toBe(true);
});
