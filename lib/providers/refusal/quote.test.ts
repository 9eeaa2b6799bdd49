import { expect, test } from "vitest";
import { hideLongQuotes, quoteWords } from "./quote";

const quote = (words: string): string => quoteWords(words, 500);

test.each([
  // Keys
  ["Bad key sk-or-v1-0123456789abcdef0123456789abcdef refused", "Bad key [key] refused"],
  ["token=hf_AbCdEfGhIjKlMnOpQrStUv123456", "token=[key]"],
  ["key 0123456789abcdef0123456789abcdef is wrong", "key [key] is wrong"],
  ["key AbCdEfGhIjKlMnOpQrStUvWxYz012345 is wrong", "key [key] is wrong"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "jwt [key]"],
  ["key ｓｋ－ＡｂＣｄＥｆＧｈ０１２３４５６７８９ is wrong", "key [key] is wrong"],
  ["key 𝐬𝐤-𝐀𝐛𝐂𝐝𝐄𝐟𝐆𝐡𝟎𝟏𝟐𝟑 and sk\u2011AbCdEfGh0123", "key [key] and [key]"],
  ["key sk-A\u200bbCd\u00adEf\u2060Gh\ufeff0\ufe0f12\u034f3\u00004 is wrong", "key [key] is wrong"],
  // What is named as a secret
  ["password: x", "password: [key]"],
  ["Wrong password：hunter2. Try again", "Wrong password:[key]. Try again"],
  ['{"user": "ann", "password": "correct horse battery", "n": 1}', '{"user": "ann", "password": "[key]", "n": 1}'],
  ["DB_PASSWORD=swordfish; client_secret='zeta b'", "DB_PASSWORD=[key]; client_secret='[key]'"],
  ["token=abcdef and access_token: 'xyz'", "token=[key] and access_token: '[key]'"],
  ["Incorrect API key provided: mykey. See the docs", "Incorrect API key provided: [key]. See the docs"],
  ["x-api-key: abc123 at /v1/models?key=a1b2c3&alt=sse", "x-api-key: [key] at /v1/models?key=[key]&alt=sse"],
  ["Authorization: Basic YW5uOnB3 failed", "Authorization: Basic [key] failed"],
  ["Authorization: ab+c/d== failed, Authorization: Custom x1y2", "Authorization: [key] failed, Authorization: [key]"],
  ["'authorization': 'secret-word' or Basic YW5uOnNlc2FtZQ==", "'authorization': '[key]' or Basic [key]"],
  ["at https://ann:p,w(x)@gpu-7.corp.de/v1, or ann:pw@localhost:5432.", "at [url], or [url]."],
  // Ordinary words with such names
  ...[
    "Unexpected token: foo. Invalid token: expected string",
    "input.password: Field required; properties.secret: Input should be a valid string",
    "password: must be a string; token: String should have at most 5 characters",
    "max_tokens: 5 is below the minimum; prompt_token=5; Duplicate key: name",
    "Basic information and Basic authentication: see the docs",
    "Authorization: missing header. Invalid API key: please check it",
    "'password': {'type': 'string'} is not closed",
    "The keys are: alpha, beta. 你好：世界，再见",
  ].map((words) => [words, words.replace("：", ":")] as [string, string]),
  // Hosts and addresses
  [
    "It must match draft 2020-12 (https://json-schema.org/draft/2020-12). More at https://docs.claude.com/x.",
    "It must match draft 2020-12 ([url]). More at [url].",
  ],
  ["no upstream at vllm-7.prod.internal:8000/v1", "no upstream at [host]"],
  ["connect to 10.0.12.7:8080 failed, then localhost:11434.", "connect to [host] failed, then [host]."],
  ["at http:\\/\\/gpu-7.corp.de\\/v1 and https%3A%2F%2Fgpu-7.corp.de%2Fv1", "at [url] and [url]"],
  ["Contact ops@acme.example.", "Contact [email]."],
  // Names and ids of accounts
  ["for gpt-4o in organization org-AbC123 on tokens per min", "for gpt-4o in organization [name] on tokens per min"],
  ["in organization `org_01kgg5588eftc8k70aes4864eb` service tier", "in organization `[name]` service tier"],
  ["in organization Acme on tokens", "in organization [name] on tokens"],
  ["Your team 0a1b2c3d-1111-2222-3333-444455556666 has no access", "Your team [name] has no access"],
  ["Project `acme-prod` has proj_abc123", "Project `[name]` has [id]"],
  ["Consumer 'project_number:1234567'", "Consumer '[name]'"],
  ["deployment 'gpt4-acme' in resource \"acme-eastus\"", "deployment '[name]' in resource \"[name]\""],
  ["projects/123456/locations/eu: no", "[id]: no"],
  // Ids of requests
  ["failed (request id: 20260101abc) ref req_011CSHoEeqs5C35K2UUqR7Fy", "failed (request id: [id]) ref [id]"],
  ["Include the request ID 9c2e3a7b in your message", "Include the request ID [id] in your message"],
  // What the caller needs stays.
  [
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_abcDEF123",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_abcDEF123",
  ],
  [
    "Invalid schema for function 'get_weather_2': In context=('properties', 'city'), 'additionalProperties' is required to be supplied and to be false.",
    "Invalid schema for function 'get_weather_2': In context=('properties', 'city'), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    "messages[3].content: This request would exceed your organization's limit",
    "messages[3].content: This request would exceed your organization's limit",
  ],
  // One line, without signs that do something to a terminal or a log.
  ["one\r\n\u001b[31mtwo\u0000\u202e three\u2028four", "one [31mtwo three four"],
  ["one\u200b two\ufeff", "one two"],
])("%s", (words, quoted) => expect(quote(words)).toBe(quoted));

test("it is cut where it is too long, and never inside a sign", () => {
  expect(quoteWords("word ".repeat(5_000), 20)).toBe("word word word word ");
  expect(quoteWords(`${"a".repeat(9)}😀`, 10)).toBe("a".repeat(9));
});

test("our log gets no long text in quotes, which is most often the prompt's", () => {
  const secret = "my wife must not learn of the present that I bought her";
  expect(hideLongQuotes(`Invalid value: '${secret}'. Supported values are: 'low' and 'high'.`)).toBe(
    "Invalid value: '[…]'. Supported values are: 'low' and 'high'.",
  );
  expect(hideLongQuotes("This model's maximum is 8192 tokens. However, your prompt's length is 9000")).toContain("maximum is 8192");
});

test("a long text without a key takes no time", () => {
  const startedAt = performance.now();
  for (const piece of [
    "a",
    "a-",
    "a.",
    "organization ",
    "password",
    "a:b@",
    "authorization:",
    "api key",
    "'a ",
    "a@",
    "1.",
    "request id ",
    "::",
    "/",
  ]) {
    hideLongQuotes(quote(piece.repeat(4_800)));
  }
  expect(performance.now() - startedAt).toBeLessThan(300);
});
