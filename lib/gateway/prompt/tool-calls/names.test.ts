import { expect, test } from "vitest";
import { type ClientTool, ToolNames } from "./names";

const fn = (name: string, namespace?: string): ClientTool => ({ kind: "function", name, namespace });

test("a tool in a namespace is called by both names, one in the default namespace by its own", () => {
  const names = new ToolNames();
  expect(names.add(fn("search", "mcp__docs"))).toBe("mcp__docs__search");
  expect(names.add(fn("search", "mcp__docs__"))).not.toBe("mcp__docs__search");
  expect(names.add(fn("read", "mcp__docs__"))).toBe("mcp__docs__read");
  expect(names.add(fn("_read", "mcp__x"))).toBe("mcp__x_read");
  expect(names.add(fn("exec", "functions"))).toBe("exec");
  expect(names.clientTool("mcp__docs__search")).toEqual(fn("search", "mcp__docs"));
  expect(names.clientTool("exec")).toMatchObject({ name: "exec" });
});

test("every name is one that each provider takes, is no other tool's, and leads back to its tool", () => {
  const names = new ToolNames();
  const tools = [
    fn("a__b"),
    fn("b", "a"),
    fn("x".repeat(128), "n".repeat(128)),
    fn(`${"x".repeat(127)}y`, "n".repeat(128)),
    fn("b", "a.c"),
    fn("b", "a_c"),
    fn("b", "a c"),
    fn("b", "ä"),
    fn("tool_search"),
    { kind: "search", name: "tool_search" } as const,
  ];
  const called = tools.map((one) => names.add(one));
  expect(new Set(called).size).toBe(tools.length);
  for (const name of called) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(called.map((name) => names.clientTool(name))).toEqual(tools);
  expect(tools.map((one) => names.nameOf(one))).toEqual(called);
});

test("a call in the conversation keeps its name when its tool is gone, and a name that a model invented stays as it is", () => {
  expect(new ToolNames().nameOf(fn("search", "mcp__docs"))).toBe("mcp__docs__search");
  expect(new ToolNames().clientTool("mcp__docs__search")).toEqual({ kind: "function", name: "mcp__docs__search" });
});
