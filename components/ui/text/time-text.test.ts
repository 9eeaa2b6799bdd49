import { expect, test } from "vitest";
import { agoText, dayText, momentText } from "./time-text";

const at = new Date(Date.UTC(2026, 8, 1, 23, 5, 7));
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

test("a day and a time are written in UTC, whatever the machine's time zone", () => {
  expect(dayText(at)).toBe("1 Sep 2026");
  expect(momentText(at)).toBe("1 Sep 2026, 23:05 UTC");
});

test.each([
  [-5 * SECOND, "just now"],
  [59 * SECOND, "just now"],
  [60 * SECOND, "1 min ago"],
  [HOUR - 1, "59 min ago"],
  [HOUR, "1 h ago"],
  [DAY - 1, "23 h ago"],
  [DAY, "yesterday"],
  [2 * DAY, "2 days ago"],
  [30 * DAY - 1, "29 days ago"],
  [30 * DAY, "1 Sep 2026"],
])("%d ms later it is %j", (later, text) => {
  expect(agoText(at, at.getTime() + later)).toBe(text);
});
