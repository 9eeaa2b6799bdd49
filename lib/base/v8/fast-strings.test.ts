import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { keepStringsFast } from "./fast-strings";

setFlagsFromString("--allow-natives-syntax");
const areStringsFast = new Function("return %HasFastProperties(String.prototype)") as () => boolean;

const extendString = (): unknown => class extends String {};

test("string methods become fast again after a class extended String, and stay fast whatever extends it later", () => {
  extendString();
  expect(areStringsFast()).toBe(false);
  keepStringsFast();
  expect(areStringsFast()).toBe(true);
  extendString();
  expect(areStringsFast()).toBe(true);
});
