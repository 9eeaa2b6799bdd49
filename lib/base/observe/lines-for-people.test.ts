import { expect, test } from "vitest";
import { linesForPeople } from "./lines-for-people";

const plain = (line: unknown) => linesForPeople(`${JSON.stringify(line)}\n`).replace("\r\u001b[K", "");

test("a line has its time, level, message and facts, and an error its causes without stacks", () => {
  const time = "2026-11-25T10:11:12.345Z";
  expect(plain({ level: 30, time, requestId: "req_1", ms: 1.5, msg: "answered" })).toBe(
    "10:11:12 info  answered  requestId=req_1  ms=1.5\n",
  );
  const err = { type: "EvmFailure", message: "refused", stack: "at secret/place", cause: { message: "ECONNREFUSED" } };
  expect(plain({ level: 40, time, err, msg: "a node failed" })).toBe(
    "10:11:12 warn  a node failed\n         EvmFailure: refused\n         Error: ECONNREFUSED\n",
  );
});

test("a fact is cut to 200 characters, and a line that is no JSON is passed on", () => {
  const value = "x".repeat(1_000);
  expect(plain({ level: 30, time: "", msg: "m", value }).length).toBeLessThan(230);
  expect(linesForPeople("not JSON\n")).toBe("not JSON\n");
});
