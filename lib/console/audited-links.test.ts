// What the audit log has of those who are not signed in: readers of our mails, the job that delivers, and of an account that closes.

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { changeKey } from "@/lib/access/testing/change-key";
import { chainEntries, findDifference, readHead, verifyChain } from "@/lib/audit/chain";
import { leftBy } from "@/lib/audit/testing/left-by";
import { setClock } from "@/lib/base/clock";
import { newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createEndpoint } from "@/lib/events/endpoints";
import { confirmAddress } from "@/lib/events/mail/confirmations";
import { unsubscribe } from "@/lib/events/mail/unsubscribe";
import { deliverDue, happen, openEndpoint } from "@/lib/events/testing/endpoints";
import { linkOf, type MailServer, openMailServer, useMailServer } from "@/lib/events/testing/mail-server";
import { openReceiver, withStatus } from "@/lib/events/testing/receiver";
import { closeOwnAccount } from "./close-account";
import { eraseClosedAccounts } from "./erase-closed";
import { findOwnerOf } from "./owner";
import { startConfirmation } from "./step-up";
import { openTestCustody } from "./testing/custody";
import { enter, newOwner } from "./testing/owners";
import { prove } from "./testing/wallets";

await openTestDatabase();
let mails: MailServer;
beforeAll(async () => {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  await openTestCustody();
  mails = await openMailServer();
  useMailServer(mails.server);
});
beforeEach(() => forgetSingleton("limits.limiter"));
afterAll(() => mails.close());

const origin = { address: "192.0.2.7", device: "Chrome on macOS" };
const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

test("an e-mail address is confirmed and unsubscribed by whoever opened our link; the address itself is personal", async () => {
  const accountId = newAccountId();
  let endpointId = "";
  const added = await leftBy(async () => {
    const made = await createEndpoint({ accountId, kind: "email", target: "reader@example.com", types: null });
    endpointId = made.ok ? made.endpointId : "";
  });
  expect(added).toMatchObject([
    { kind: "endpoint.created", after: { kind: "email" }, personal: { after: { host: "example.com", email: "reader@example.com" } } },
  ]);
  expect(JSON.stringify([added[0]?.after, added[0]?.subject])).not.toMatch(/reader|example/);
  await deliverDue();
  const [mail] = mails.received;
  if (!mail) throw new Error("no mail came");
  const byLink = (act: () => Promise<unknown>) => leftBy(() => runActing({ actor: null, origin }, act));
  const actor = { kind: "link", endpointId };
  const confirmed = await byLink(() => confirmAddress(tokenOf(linkOf(mail, "Confirm this address"))));
  expect(confirmed).toMatchObject([{ kind: "endpoint.changed", actor, personal: origin, after: { state: "active" } }]);
  const stopped = await byLink(() => unsubscribe(tokenOf(mail.headers["list-unsubscribe"]?.replace(/[<>]/g, "") ?? "")));
  expect(stopped).toMatchObject([{ kind: "endpoint.changed", actor, after: { state: "disabled", disabledReason: "unsubscribed" } }]);
  expect(stopped[0]?.account_id).toBe(accountId);
});

test("an endpoint that answers that it is gone is switched off by the job that delivers", async () => {
  const accountId = newAccountId();
  const receiver = await openReceiver();
  try {
    receiver.answer(withStatus(410));
    const { endpointId } = await openEndpoint(accountId, receiver.url);
    await happen(accountId, ["a"]);
    const left = await leftBy(deliverDue);
    expect(left).toMatchObject([{ kind: "endpoint.changed", subject: endpointId, actor: { kind: "job", job: "deliver-events" } }]);
    expect(left[0]?.after).toMatchObject({ state: "disabled", disabledReason: "gone" });
  } finally {
    await receiver.close();
  }
});

test("an account that is closed: what ended is in the log, the owner's words and addresses are erased a week later, and signing in opens it", async () => {
  const { owner, wallet } = await runActing({ actor: null, origin }, () => newOwner());
  const { keyId } = await createKey({ accountId: owner.accountId, name: "Ada's laptop" });
  await changeKey(keyId, { scopes: ["prompt"], networks: ["203.0.113.0/24"] });
  await createEndpoint({ accountId: owner.accountId, kind: "email", target: "owner@example.com", types: null });
  await createEndpoint({ accountId: owner.accountId, kind: "webhook", target: "https://93.184.215.14/hook", types: null });
  await chainEntries();
  const kept = await readHead();
  const left = await leftBy(() =>
    runActing({ actor: null, origin }, async () => {
      await findOwnerOf(owner.token);
      const asked = await closeOwnAccount(owner, null);
      if (asked.ok || !asked.confirm) throw new Error("nothing is asked");
      const started = await startConfirmation(owner, { wallet, ...asked.confirm });
      if (!started.ok) throw new Error(started.message);
      expect(await closeOwnAccount(owner, await prove(wallet, started.challenge))).toEqual({ ok: true });
    }),
  );
  expect(left.map(({ kind }) => kind).sort()).toEqual(["account.closed", "key.revoked", "session.confirmed", "session.ended"]);
  const restoreClock = setClock(() => Date.now() + 8 * 86_400_000);
  onTestFinished(restoreClock);
  const erased = await leftBy(eraseClosedAccounts);
  restoreClock();
  expect(erased.map(({ kind }) => kind).sort()).toEqual(["endpoint.deleted", "endpoint.deleted", "key.changed"]);
  const { rows } = await pool().query<{ text: string; personal: unknown }>(
    "SELECT row_to_json(e)::text AS text, personal FROM audit_entry e WHERE account_id = $1",
    [owner.accountId],
  );
  expect(rows.filter(({ personal }) => personal !== null)).toEqual([]);
  expect(rows.map(({ text }) => text).join()).not.toMatch(
    /Ada|203\.0\.113|192\.0\.2|93\.184|example\.com|Chrome|Close account|keys stop working/,
  );
  await chainEntries();
  expect(await verifyChain()).toEqual({ head: await readHead(), fault: null });
  expect(await findDifference(kept)).toBeNull();
  expect((await leftBy(() => enter(wallet))).map(({ kind }) => kind)).toContain("account.reopened");
});
