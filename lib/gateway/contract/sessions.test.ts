// Sessions of Claude Code and Codex, as `npm run test:long -- agents` recorded them, sent again: each request is answered as it was then, and
// the books agree with what was answered.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { open } from "./testing/client";
import { openService } from "./testing/service";
import { replaySession, sessionSchema } from "./testing/session";

const service = await openService();
const folder = new URL("./sessions/", import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));

test.each(names)("%s", async (name) => {
  const session = sessionSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")));
  const account = await openAccount({ usd: "25" });
  let charged = 0;
  await replaySession(session, async ({ method, path, status, body }) => {
    const answer = await open({ url: service.url("node"), key: account.key, method, path, headers: session.headers, body });
    const text = await answer.text();
    expect(answer.status, text).toBe(status);
    if (method === "POST" && answer.ok && !text.includes("event: response.failed")) charged += 1;
    return text;
  });
  expect(await chargesOf(account.accountId)).toHaveLength(charged);
  await expectPaid(account);
});
