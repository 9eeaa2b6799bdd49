// A prompt as code that asks the API for the same: as pasted into a shell, a TypeScript file or a Python file.

/** The body of POST /api/v1/prompt; fields that are undefined are not sent. */
export interface PromptFields {
  model: string;
  system: string | undefined;
  prompt: string;
  maxTokens: number | undefined;
  temperature: number | undefined;
}

export interface CodeTarget {
  baseUrl: string;
  /** The variable that the key is read from. */
  keyVariable: string;
}

/** For sh: within single quotes nothing means anything but the single quote. */
const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const curlCode = ({ baseUrl, keyVariable }: CodeTarget, fields: PromptFields): string =>
  [
    `curl -s ${baseUrl}/api/v1/prompt`,
    `-H "Authorization: Bearer $${keyVariable}"`,
    "-H 'Content-Type: application/json'",
    `-d ${shellText(JSON.stringify(fields))}`,
  ].join(" \\\n  ");

/** One field a line. A JSON text or number means the same in TypeScript and in Python. */
const fieldLines = (fields: PromptFields, name: (field: string) => string, indent: string): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${indent}${name(field)}: ${JSON.stringify(value)},`)
    .join("\n");

export const typescriptCode = ({ baseUrl, keyVariable }: CodeTarget, fields: PromptFields): string =>
  `const response = await fetch("${baseUrl}/api/v1/prompt", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.${keyVariable}}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
${fieldLines(fields, (field) => field, "    ")}
  }),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
console.log(answer.text, answer.cost.totalCost);`;

export const pythonCode = ({ baseUrl, keyVariable }: CodeTarget, fields: PromptFields): string =>
  `import os
import requests

response = requests.post(
    "${baseUrl}/api/v1/prompt",
    headers={"Authorization": f"Bearer {os.environ['${keyVariable}']}"},
    json={
${fieldLines(fields, (field) => JSON.stringify(field), "        ")}
    },
    timeout=300,
)
answer = response.json()
if not response.ok:
    raise SystemExit(f"{answer['code']}: {answer['error']}")
print(answer["text"], answer["cost"]["totalCost"])`;
