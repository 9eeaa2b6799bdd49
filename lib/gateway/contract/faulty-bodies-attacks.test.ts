// Bodies of Responses and Messages that hold as many faults as a megabyte can: each is refused with the first of them. To list all would
// take seconds, in which no other request is served, and hundreds of thousands overflow the stack. chat-attacks.test.ts has those of chats.

import { expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { expectUncharged } from "./testing/books";
import { ask } from "./testing/client";
import { withinCpuMs } from "./testing/cpu";
import { openService } from "./testing/service";

const service = await openService();

/** About 50 ms are needed; a second and a half where each fault is listed. */
const MAX_CPU_MS = 1_000;

const repeated = (item: string, times = 500_000): string => `[${Array(times).fill(item).join(",")}]`;
const zeros = repeated("0");

interface Refusal {
  error: { code: string; details: { issues: { path: string }[] } };
}

async function expectFirstFaults(path: string, body: string, param: string): Promise<void> {
  const account = await openAccount();
  const { result, cpuMs } = await withinCpuMs(MAX_CPU_MS, () => ask({ url: service.url("node"), path, key: account.key, body }));
  const { status, text } = result;
  const { error } = JSON.parse(text) as Refusal;
  expect({ status, code: error.code, first: error.details.issues[0]?.path }).toEqual({
    status: 400,
    code: "INVALID_REQUEST",
    first: param,
  });
  expect(error.details.issues.length).toBeLessThanOrEqual(20);
  expect(cpuMs).toBeLessThan(MAX_CPU_MS);
  await expectUncharged(account);
}

const itemWith = (fields: string): string => `"input":[{${fields}}]`;

test.each<[what: string, fields: string, param: string]>([
  ["items", `"input":${zeros}`, "input.0.type"],
  ["parts of a message", itemWith(`"role":"user","content":${zeros}`), "input.0.content"],
  ["files in a message", itemWith(`"role":"user","content":${repeated('{"type":"input_file"}', 45_000)}`), "input.0.content.0"],
  ["parts of an answer", itemWith(`"role":"assistant","content":${zeros}`), "input.0.content"],
  ["parts of an output", itemWith(`"type":"function_call_output","call_id":"c","output":${zeros}`), "input.0.output"],
  ["parts of an agent's message", itemWith(`"type":"agent_message","content":${zeros}`), "input.0.content.0"],
  ["parts of a summary", itemWith(`"type":"reasoning","summary":${zeros}`), "input.0.summary.0"],
  ["values to include", `"input":"a","include":${zeros}`, "include.0"],
  ["tools", `"input":"a","tools":${zeros}`, "tools.0"],
  ["tools of a namespace", `"input":"a","tools":[{"type":"namespace","name":"n","tools":${zeros}}]`, "tools.0.tools"],
  ["tools to choose from", `"input":"a","tool_choice":{"type":"allowed_tools","mode":"auto","tools":${zeros}}`, "tool_choice"],
])("a megabyte of faulty %s in a response's request", (_what, fields, param) =>
  expectFirstFaults("/api/v1/responses", `{"model":"gpt-6-sol",${fields}}`, param),
);

test("a megabyte of faulty metadata in a response's request", () => {
  const fields = Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join(",");
  return expectFirstFaults("/api/v1/responses", `{"model":"gpt-6-sol","input":"a","metadata":{${fields}}}`, "metadata");
});

test.each<[what: string, fields: string, param: string]>([
  ["messages", `"messages":${zeros}`, "messages.0"],
  ["blocks", `"messages":[{"role":"user","content":${zeros}}]`, "messages.0.content.0"],
  ["blocks of a system prompt", `"messages":[{"role":"user","content":"a"}],"system":${zeros}`, "system"],
  ["tools", `"messages":[{"role":"user","content":"a"}],"tools":${zeros}`, "tools"],
  ["stop sequences", `"messages":[{"role":"user","content":"a"}],"stop_sequences":${zeros}`, "stop_sequences.0"],
])("a megabyte of faulty %s in a message's request", (_what, fields, param) =>
  expectFirstFaults("/api/v1/messages", `{"model":"claude-haiku-4-5","max_tokens":9,${fields}}`, param),
);
