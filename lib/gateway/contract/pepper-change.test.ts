// Changing the pepper without an outage: what the old one made is accepted while it is the second, and nothing of it afterwards.

import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { authenticateKey } from "@/lib/access/authenticate";
import { rotateKey } from "@/lib/access/key-access";
import { createKey } from "@/lib/access/keys";
import { newAccountId } from "@/lib/base/ids";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readUnsubscribeToken, unsubscribeUrl } from "@/lib/events/mail/links";
import { webhookSecret } from "@/lib/events/secrets";
import { deliverDue, happen, openEndpoint } from "@/lib/events/testing/endpoints";
import { openReceiver } from "@/lib/events/testing/receiver";
import { withSettings } from "@/lib/wallets/custody/testing/seeds";
import { openReasoning, sealReasoning } from "../prompt/reasoning-seal";

await openTestDatabase();

const [first, second] = ["the first pepper, of more than 32 characters", "the second pepper, of more than 32 characters"];

/** The process's peppers, as after a restart with these settings. */
const setPeppers = (pepper: string, also = ""): void => withSettings({ KEY_PEPPER: pepper, KEY_PEPPER_ALSO: also });

const outcomeOf = async (key: string) => {
  const found = await authenticateKey(key);
  return found.ok ? "ok" : found.reason;
};

test("keys are accepted under both peppers by processes of both kinds, and move to the new one with their first use", async () => {
  setPeppers(first);
  const accountId = await createAccount();
  const used = await createKey({ accountId, name: "used" });
  const unused = await createKey({ accountId, name: "unused" });
  const old = await createKey({ accountId, name: "rotated" });
  const fresh = (await rotateKey(accountId, old.keyId, 60_000)) ?? "";
  // Processes change one after the other: whoever still has the old one first takes what another has moved.
  setPeppers(second, first);
  for (const key of [used.key, old.key, fresh]) expect(await outcomeOf(key)).toBe("ok");
  setPeppers(first, second);
  const made = await createKey({ accountId, name: "made meanwhile" });
  for (const key of [used.key, old.key, fresh, made.key]) expect(await outcomeOf(key)).toBe("ok");
  setPeppers(second, first);
  for (const key of [used.key, old.key, fresh, made.key]) expect(await outcomeOf(key)).toBe("ok");
  setPeppers(second);
  for (const key of [used.key, old.key, fresh, made.key]) expect(await outcomeOf(key)).toBe("ok");
  expect(await outcomeOf(unused.key)).toBe("unknown");
});

test("an unknown key stays unknown under two peppers", async () => {
  setPeppers(first);
  const { key } = await createKey({ accountId: await createAccount(), name: "of another" });
  setPeppers(second, "a third pepper, of more than 32 characters");
  expect(await outcomeOf(key)).toBe("unknown");
});

test("webhooks are signed under both, so that receivers with either secret take them", async () => {
  setPeppers(first);
  const receiver = await openReceiver();
  const account = newAccountId();
  const { endpointId, secret } = await openEndpoint(account, receiver.url);
  setPeppers(second, first);
  await happen(account, ["a"]);
  await deliverDue();
  const [got] = receiver.received;
  const verify = (key: string) => new Webhook(key).verify(got?.body ?? "", got?.headers as Record<string, string>);
  for (const key of [secret, webhookSecret(endpointId, 1)]) expect(verify(key)).toMatchObject({ type: "wallet.linked" });
  await receiver.close();
});

test("links of mails and sealed thoughts from before are ours until the old pepper is gone", () => {
  setPeppers(first);
  const endpointId = "end_0WAqXk3eB1c2D3e4F5g6";
  const token = unsubscribeUrl(endpointId).split("/").at(-1) ?? "";
  const account = newAccountId();
  const sealed = sealReasoning(account, { provider: "anthropic", wireName: "claude" }, "thoughts");
  setPeppers(second, first);
  expect(readUnsubscribeToken(token)).toBe(endpointId);
  expect(openReasoning(account, sealed)).toMatchObject({ data: "thoughts" });
  setPeppers(second);
  expect(readUnsubscribeToken(token)).toBeNull();
  expect(openReasoning(account, sealed)).toBeNull();
});
