import { expect, test, vi } from "vitest";
import { terminalLine } from "./terminal-lines";

const time = "2026-11-25T10:00:00.000Z";

test("a person reads time, level, message and facts on one line", () => {
  vi.stubEnv("NO_COLOR", "1");
  const line = terminalLine(JSON.stringify({ level: 30, time, msg: "request", status: 200, requestId: "req_1" }));
  expect(line.slice(4)).toMatch(/^\d\d:\d\d:\d\d info {2}request status=200 requestId=req_1\n$/);
});

test("an error shows its message without its stack, and a long fact is cut", () => {
  vi.stubEnv("NO_COLOR", "1");
  const err = { type: "Error", message: "connection refused", stack: "Error: at line 1" };
  const line = terminalLine(JSON.stringify({ level: 50, time, err, body: "x".repeat(200), msg: "it failed" }));
  expect(line).toContain("error it failed (connection refused) body=");
  expect(line).not.toContain("at line 1");
  expect(line.length).toBeLessThan(160);
});
