// The examples of the clients page in one place: the page shows these texts, and the test beside this file runs those in TypeScript.

import type { Site } from "@/app/site";

export interface ClientExample {
  /** The tab's label, and the block's title. */
  label: string;
  title: string;
  code: string;
}

const QUESTION = "What is a nano-dollar?";

export const openaiResponses = ({ baseUrl, keyVariable }: Site, model: string): string => `import OpenAI from "openai";

const openai = new OpenAI({
  baseURL: "${baseUrl}/api/v1",
  apiKey: process.env.${keyVariable},
});

const response = await openai.responses.create({
  model: "${model}",
  input: "${QUESTION}",
  store: false,
});
console.log(response.output_text, response.usage);`;

const openaiResponsesPython = ({ baseUrl, keyVariable }: Site, model: string): string => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}/api/v1",
    api_key=os.environ["${keyVariable}"],
)

response = client.responses.create(
    model="${model}",
    input="${QUESTION}",
    store=False,
)
print(response.output_text, response.usage)`;

export const aiSdk = ({ baseUrl, keyVariable }: Site, model: string): string => `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const provider = createOpenAI({
  baseURL: "${baseUrl}/api/v1",
  apiKey: process.env.${keyVariable},
});

const { text, usage } = await generateText({
  model: provider.responses("${model}"),
  prompt: "${QUESTION}",
  providerOptions: { openai: { store: false } },
});
console.log(text, usage);`;

const langchain = ({ baseUrl, keyVariable }: Site, model: string): string => `import { ChatOpenAI } from "@langchain/openai";

const chat = new ChatOpenAI({
  model: "${model}",
  apiKey: process.env.${keyVariable},
  configuration: { baseURL: "${baseUrl}/api/v1" },
});

const answer = await chat.invoke("${QUESTION}");
console.log(answer.content, answer.usage_metadata);`;

const langchainPython = ({ baseUrl, keyVariable }: Site, model: string): string => `import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model="${model}",
    base_url="${baseUrl}/api/v1",
    api_key=os.environ["${keyVariable}"],
)

answer = chat.invoke("${QUESTION}")
print(answer.content, answer.usage_metadata)`;

/** Responses with OpenAI's own package. */
export const openaiExamples = (site: Site, model: string): ClientExample[] => [
  { label: "TypeScript", title: "openai in TypeScript", code: openaiResponses(site, model) },
  { label: "Python", title: "openai in Python", code: openaiResponsesPython(site, model) },
];

export const langchainExamples = (site: Site, model: string): ClientExample[] => [
  { label: "JavaScript", title: "LangChain in JavaScript", code: langchain(site, model) },
  { label: "Python", title: "LangChain in Python", code: langchainPython(site, model) },
];
