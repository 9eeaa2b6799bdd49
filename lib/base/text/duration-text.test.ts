import { expect, test } from "vitest";
import { durationText } from "./duration-text";

test.each([
  [0, "0 seconds"],
  [0.2, "1 second"],
  [12, "12 seconds"],
  [59.4, "1 minute"],
  [90, "90 seconds"],
  [900, "15 minutes"],
  [3_600, "1 hour"],
  [86_400, "24 hours"],
  [259_200, "72 hours"],
])("%d seconds are written as %j", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
