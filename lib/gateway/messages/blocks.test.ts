// Thoughts that come back: a conversation full of foreign ones is refused after the first, since each costs the check of a seal.

import { expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { runAtOnce } from "@/lib/base/slices";
import type { Issue } from "../http/request";
import { ImageReader } from "../prompt/images";
import { readMessages } from "./blocks";

test("of 10,000 foreign thoughts, 20 are looked at and reported", () => {
  const issues: Issue[] = [];
  const content = Array.from({ length: 100 }, () => ({ type: "redacted_thinking" as const, data: "made elsewhere" }));
  const messages = Array.from({ length: 100 }, () => ({ role: "assistant" as const, content }));
  runAtOnce(
    readMessages(messages, {
      accountId: "acct_1" as AccountId,
      issues,
      images: new ImageReader(undefined, { routes: [{ provider: "anthropic", wireName: "claude" }] }),
    }),
  );
  expect(issues.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, at) => `messages.0.content.${at}`));
});
