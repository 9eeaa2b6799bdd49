// The turn that would be sent next, as code that sends it: for our own API, and with the clients of OpenAI and Anthropic.

import { countBytes } from "@/components/ui/text/byte-count";
import type { CodeTarget } from "../../../docs/api-call";
import type { ChatBody } from "../chat/body";
import { curlCode, pythonCode, typescriptCode } from "../code-lines";
import { anthropicBody, chatBody, promptBody, responsesBody } from "./bodies";
import { pythonArguments, pythonLiteral, shellJson, typescriptLiteral } from "./literal";

export const clientNames = { prompt: "PennyPrompt", chat: "OpenAI", responses: "OpenAI Responses", messages: "Anthropic" } as const;
export type ClientId = keyof typeof clientNames;

export const languages = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

interface Code {
  language: Language;
  code: string;
}

/** The code of one client in each language. */
export function writeCode(client: ClientId, target: CodeTarget, body: ChatBody): Code[] {
  const [curl, typescript, python] = writers[client](target, body);
  return [
    { language: "curl", code: curl },
    { language: "TypeScript", code: typescript },
    { language: "Python", code: python },
  ];
}

type Writer = (target: CodeTarget, body: ChatBody) => [curl: string, typescript: string, python: string];

const writers: Record<ClientId, Writer> = {
  prompt: (target, body) => {
    const fields = promptBody(body);
    if (fields) return [curlCode(target, fields), typescriptCode(target, fields), pythonCode(target, fields)];
    return [
      curlOf(target, "/api/v1/chat/completions", chatBody(body)),
      fetchChat(target, chatBody(body)),
      requestChat(target, chatBody(body)),
    ];
  },
  chat: (target, body) => {
    const call = chatBody(body);
    return [
      curlOf(target, "/api/v1/chat/completions", call),
      `${openaiTypescript(target)}
const answer = await client.chat.completions.create(${typescriptLiteral(call)});
console.log(answer.choices[0].message.content ?? answer.choices[0].message.tool_calls);`,
      `${openaiPython(target)}
answer = client.chat.completions.create(
${pythonArguments(call)})
print(answer.choices[0].message.content or answer.choices[0].message.tool_calls)`,
    ];
  },
  responses: (target, body) => {
    const call = responsesBody(body);
    return [
      curlOf(target, "/api/v1/responses", call),
      `${openaiTypescript(target)}
const answer = await client.responses.create(${typescriptLiteral(call)});
console.log(answer.output_text || answer.output);`,
      `${openaiPython(target)}
answer = client.responses.create(
${pythonArguments(call)})
print(answer.output_text or answer.output)`,
    ];
  },
  messages: (target, body) => {
    const call = anthropicBody(body);
    return [
      curlOf(target, "/api/v1/messages", call),
      `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${target.baseUrl}/api", apiKey: process.env.${target.keyVariable} });
const answer = await client.messages.create(${typescriptLiteral(call)});
console.log(answer.content);`,
      `import os
from anthropic import Anthropic

client = Anthropic(base_url="${target.baseUrl}/api", api_key=os.environ["${target.keyVariable}"])
answer = client.messages.create(
${pythonArguments(call)})
print(answer.content)`,
    ];
  },
};

/** One argument of a command has at most 128 KiB on Linux. */
const MAX_ARGUMENT = 100_000;

function curlOf({ baseUrl, keyVariable }: CodeTarget, path: string, body: object): string {
  const json = JSON.stringify(body);
  const head = `curl -s ${baseUrl}${path} \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H 'Content-Type: application/json' \\
  `;
  // On one line nothing in it ends the document.
  return countBytes(json) > MAX_ARGUMENT ? `${head}--data-binary @- <<'JSON'\n${json}\nJSON` : `${head}-d ${shellJson(json)}`;
}

const openaiTypescript = ({ baseUrl, keyVariable }: CodeTarget): string => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${baseUrl}/api/v1", apiKey: process.env.${keyVariable} });`;

const openaiPython = ({ baseUrl, keyVariable }: CodeTarget): string => `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/api/v1", api_key=os.environ["${keyVariable}"])`;

const fetchChat = (
  { baseUrl, keyVariable }: CodeTarget,
  body: object,
): string => `const response = await fetch("${baseUrl}/api/v1/chat/completions", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.${keyVariable}}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${typescriptLiteral(body, 1)}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.message);
console.log(answer.choices[0].message, answer.usage.cost);`;

const requestChat = ({ baseUrl, keyVariable }: CodeTarget, body: object): string => `import os
import requests

response = requests.post(
    "${baseUrl}/api/v1/chat/completions",
    headers={"Authorization": f"Bearer {os.environ['${keyVariable}']}"},
    json=${pythonLiteral(body, 1)},
    timeout=300,
)
answer = response.json()
if not response.ok:
    raise SystemExit(answer["error"]["message"])
print(answer["choices"][0]["message"], answer["usage"]["cost"])`;
