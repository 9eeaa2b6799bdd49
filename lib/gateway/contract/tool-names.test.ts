// Tools whose names are longer than a provider takes, or become so on their way.

import { expect, test } from "vitest";
import { geminiName } from "@/lib/providers/gemini/call-id";
import { ToolNames } from "../prompt/tool-calls/names";
import { openAccount } from "./testing/accounts";
import { ask } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();
const input_schema = { type: "object", properties: { left: { type: "number" } }, required: ["left"] };

test.each([false, true])(
  "a tool whose name is longer than a provider takes is called by its own name all the same (stream: %s)",
  async (stream) => {
    const { key } = await openAccount();
    const send = (body: object) => ask({ url: service.url("node"), key, path: "/api/v1/messages", body: { max_tokens: 500, ...body } });
    const name = `mcp__${"a".repeat(80)}__search`;
    const called = new ToolNames().add({ kind: "function", name });
    expect(called.length).toBeLessThanOrEqual(64);
    const first = { role: "user", content: `[[simulate: tool=${called}]]` };
    for (const model of ["gpt-4o-mini", "gemini-2.5-flash-lite"]) {
      const fields = { model, stream, tools: [{ name, input_schema }], tool_choice: { type: "tool", name } };
      const { status, text } = await send({ ...fields, messages: [first] });
      expect({ status, text }).toMatchObject({ status: 200 });
      expect(text).toContain(`"name":"${name}"`);
      expect(text).not.toContain(called);
      const said = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name, input: { left: 1 } }] };
      const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42" }] };
      const second = await send({ ...fields, tool_choice: { type: "auto" }, messages: [first, said, result] });
      expect({ status: second.status, text: second.text }).toMatchObject({ status: 200 });
    }
  },
);

test.each([false, true])(
  "a name of 64 letters that Gemini takes only with one more is called by its own name (stream: %s)",
  async (stream) => {
    const { key } = await openAccount();
    const name = `3${"d".repeat(63)}`;
    const called = geminiName(name);
    expect(called).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    const tools = [`3${"d".repeat(62)}e`, name].map((each) => ({ type: "function", function: { name: each } }));
    const messages = [{ role: "user", content: `[[simulate: tool=${called}]]` }];
    const body = { model: "gemini-2.5-flash-lite", stream, messages, tools };
    const { status, text } = await ask({ url: service.url("node"), key, path: "/api/v1/chat/completions", body });
    expect({ status, text }).toMatchObject({ status: 200 });
    expect(text).toContain(`"name":"${name}"`);
    expect(text).not.toContain(called);
  },
);
