// An API call as code: to paste into a shell, a TypeScript file or a Python file.

export interface CodeTarget {
  baseUrl: string;
  /** The environment variable that holds the key. */
  keyVariable: string;
}

interface CurlCall {
  path: string;
  /** `-s`, or with -N to show each piece as it arrives. */
  flags?: string;
  /** As written in the shell; none sends a request without a body. */
  body?: string;
}

export const curlCall = ({ baseUrl, keyVariable }: CodeTarget, { path, flags = "-s", body }: CurlCall): string =>
  [
    `curl ${flags} ${baseUrl}${path}`,
    `-H "Authorization: Bearer $${keyVariable}"`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${body}`]),
  ].join(" \\\n  ");

/** Sends a prompt and prints its text and cost; `body` is the text of an object. */
export const typescriptCall = ({ baseUrl, keyVariable }: CodeTarget, body: string): string =>
  `const response = await fetch("${baseUrl}/api/v1/prompt", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.${keyVariable}}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${body}),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
console.log(answer.text, answer.cost.totalCost);`;

/** The same; `body` is the text of a dictionary. */
export const pythonCall = ({ baseUrl, keyVariable }: CodeTarget, body: string): string =>
  `import os
import requests

response = requests.post(
    "${baseUrl}/api/v1/prompt",
    headers={"Authorization": f"Bearer {os.environ['${keyVariable}']}"},
    json=${body},
    timeout=300,
)
answer = response.json()
if not response.ok:
    raise SystemExit(f"{answer['code']}: {answer['error']}")
print(answer["text"], f"{answer['cost']['totalCost']:.9f}")`;
