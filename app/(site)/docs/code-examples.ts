// The examples of the quick start in one place: the page shows these texts, and the test beside this file runs them.

import { curlPrompt, curlStream, pythonPrompt, typescriptPrompt } from "@/app/examples";
import type { Site } from "@/app/site";

export interface CodeExample {
  /** The tab's label: "openai · Python". */
  label: string;
  /** Shown above the code. */
  title: string;
  runs: "curl" | "node" | "python";
  code: string;
}

const PROMPT = "What is a nano-dollar?";

const curl = (title: string, code: string): CodeExample => ({ label: "curl", title, runs: "curl", code });
const client = (title: string, code: string): CodeExample => ({ label: "Our client", title, runs: "node", code });
const openaiNode = (title: string, code: string): CodeExample => ({ label: "openai · TypeScript", title, runs: "node", code });
const openaiPython = (title: string, code: string): CodeExample => ({ label: "openai · Python", title, runs: "python", code });

const openClient = ({ baseUrl, keyVariable }: Site, more = ""): string =>
  `import { ${more}PennyPrompt } from "./pennyprompt/pennyprompt";

const client = new PennyPrompt({ apiKey: process.env.${keyVariable} ?? "", baseUrl: "${baseUrl}" });`;

const openNode = ({ baseUrl, keyVariable }: Site): string =>
  `import OpenAI from "openai";

const openai = new OpenAI({ baseURL: "${baseUrl}/api/v1", apiKey: process.env.${keyVariable} });`;

const openPython = ({ baseUrl, keyVariable }: Site, more = ""): string =>
  `import os
from openai import ${more}OpenAI

client = OpenAI(base_url="${baseUrl}/api/v1", api_key=os.environ["${keyVariable}"])`;

/** A program that sends one prompt. */
export const promptExamples = (site: Site, model: string): CodeExample[] => [
  { label: "TypeScript", title: "TypeScript", runs: "node", code: typescriptPrompt(site, model) },
  client(
    "TypeScript, with our client",
    `${openClient(site)}

const answer = await client.prompt({ model: "${model}", prompt: "${PROMPT}" });
console.log(answer.text, answer.cost.totalCost);`,
  ),
  openaiNode(
    "TypeScript, with the openai package",
    `${openNode(site)}

const completion = await openai.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${PROMPT}" }],
});
console.log(completion.choices[0].message.content, completion.usage);`,
  ),
  { label: "Python", title: "Python", runs: "python", code: pythonPrompt(site, model) },
  openaiPython(
    "Python, with the openai package",
    `${openPython(site)}

completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${PROMPT}"}],
)
print(completion.choices[0].message.content, completion.usage)`,
  ),
];

/** The same as a stream. */
export const streamExamples = (site: Site, model: string): CodeExample[] => [
  curl("curl, streaming", curlStream(site, model)),
  client(
    "Streaming, with our client",
    `${openClient(site)}

for await (const event of client.stream({ model: "${model}", prompt: "${PROMPT}" })) {
  if (event.type === "delta") process.stdout.write(event.text);
  else console.log("\\n", event.answer.cost.totalCost);
}`,
  ),
  openaiNode(
    "Streaming, with the openai package in TypeScript",
    `${openNode(site)}

const stream = await openai.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${PROMPT}" }],
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
  if (chunk.usage) console.log("\\n", chunk.usage);
}`,
  ),
  openaiPython(
    "Streaming, with the openai package in Python",
    `${openPython(site)}

stream = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${PROMPT}"}],
    stream=True,
    stream_options={"include_usage": True},
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
    if chunk.usage:
        print("\\n", chunk.usage)`,
  ),
];

/** A request that may be sent twice and is paid once. Each has its own key, since their bodies differ. */
export const retryExamples = (site: Site, model: string): CodeExample[] => [
  curl("curl, once", `${curlPrompt(site, model)} \\\n  -H 'Idempotency-Key: nano-dollar-1'`),
  client(
    "Once, with our client",
    `${openClient(site)}

const request = { model: "${model}", prompt: "${PROMPT}" };
const answer = await client.prompt(request, { idempotencyKey: "nano-dollar-2" });
console.log(answer.requestId, answer.text);`,
  ),
  openaiNode(
    "Once, with the openai package in TypeScript",
    `${openNode(site)}

const completion = await openai.chat.completions.create(
  { model: "${model}", messages: [{ role: "user", content: "${PROMPT}" }] },
  { headers: { "Idempotency-Key": "nano-dollar-3" } },
);
console.log(completion.id, completion.choices[0].message.content);`,
  ),
  openaiPython(
    "Once, with the openai package in Python",
    `${openPython(site)}

completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${PROMPT}"}],
    extra_headers={"Idempotency-Key": "nano-dollar-4"},
)
print(completion.id, completion.choices[0].message.content)`,
  ),
];

/** Distinguishes errors. The prompt's budget is almost nothing, so that it is refused. */
export const errorExamples = (site: Site, model: string): CodeExample[] => [
  client(
    "Errors, with our client",
    `${openClient(site, "hasCode, ")}

try {
  await client.prompt({ model: "${model}", prompt: "${PROMPT}", maxCost: 0.000001 });
} catch (error) {
  if (hasCode(error, "INSUFFICIENT_BALANCE")) console.log("Deposit", error.details.deficit, error.details.depositUrl);
  else if (hasCode(error, "INVALID_REQUEST")) console.log(error.details.issues, error.requestId);
  else throw error;
}`,
  ),
  openaiNode(
    "Errors, with the openai package in TypeScript",
    `${openNode(site)}

try {
  await openai.chat.completions.create({ model: "no-such-model", messages: [{ role: "user", content: "${PROMPT}" }] });
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.log(error.status, error.code, error.message);
}`,
  ),
  openaiPython(
    "Errors, with the openai package in Python",
    `${openPython(site, "APIStatusError, ")}

try:
    client.chat.completions.create(
        model="no-such-model",
        messages=[{"role": "user", "content": "${PROMPT}"}],
    )
except APIStatusError as error:
    print(error.status_code, error.code, error.message)`,
  ),
];
