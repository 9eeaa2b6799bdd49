// Each action of the console, as a browser calls it, with real sessions in a real database.

import "next/dist/server/node-environment-baseline"; // before the rest of Next, which stores its request in a global created here
import { beforeAll, expect, test } from "vitest";
import { signDemo } from "@/app/(site)/connect/sign-demo";
import { createAccount } from "@/lib/access/accounts";
import { addIdentity } from "@/lib/access/identities";
import { createKey } from "@/lib/access/keys";
import { openSession } from "@/lib/access/sessions";
import { setClock } from "@/lib/base/clock";
import { setSandboxPepper } from "@/lib/base/pepper";
import { findOwnerOf, type Owner } from "@/lib/console/owner";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import * as alerts from "./alerts/actions";
import { requestTestMoney } from "./deposit/actions";
import * as keys from "./keys/actions";
import { forSession } from "./owner-actions";
import { findAvailable, findCost } from "./playground/actions";
import * as settings from "./settings/actions";
import { signOutUnlessLinked } from "./sign-out";
import { asRequest } from "./testing/request";
import { findReceipt } from "./usage/actions";
import * as withdrawals from "./withdraw/actions";

await openTestDatabase();
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));
beforeAll(openFunding);

const actions = {
  ...keys,
  ...alerts,
  ...settings,
  ...withdrawals,
  requestTestMoney,
  findAvailable,
  findCost,
  findReceipt,
  signOutUnlessLinked,
};
const wallet = { chain: "evm" as const, address: `0x${"ab".repeat(20)}` };

async function enter(): Promise<Owner & { token: string; keyId: string }> {
  const accountId = await createAccount();
  await openCustomerAccount(accountId);
  const { keyId } = await createKey({ accountId, name: "mine" });
  const { token } = await openSession({ accountId, wallet, userAgent: "", clientAddress: "192.0.2.1" });
  const owner = await findOwnerOf(token);
  if (!owner) throw new Error("the session is not there");
  return { ...owner, token, keyId };
}

/** Valid input for the owner who is signed in now. */
const inputOf = ({ keyId, sessionId }: Awaited<ReturnType<typeof enter>>): Record<string, unknown> => {
  const endpointId = "end_00000000000000000000";
  const wish = { expiry: { kind: "never" }, cap: null, clip: null, alarm: null, models: null };
  return {
    createKey: { name: "stolen", ...wish },
    renameKey: { keyId, name: "stolen" },
    changeKeyLimits: { keyId, ...wish },
    pauseKey: { keyId },
    resumeKey: { keyId },
    revokeKey: { keyId },
    setLowBalance: { amount: "5" },
    addEndpoint: { kind: "webhook", target: "https://example.com/hooks", types: null },
    chooseEvents: { endpointId, types: null },
    renewSecret: { endpointId },
    switchOn: { endpointId },
    switchOff: { endpointId },
    removeEndpoint: { endpointId },
    sendSample: { endpointId, type: "balance.low" },
    resendFailed: { endpointId, hours: 24 },
    resendDelivery: { deliveryId: `dlv_${"0".repeat(32)}` },
    requestTestMoney: { chain: "base" },
    unlinkWallet: wallet,
    keepWallet: wallet,
    endSession: { sessionId },
    startLink: { ...wallet, address: `0x${"cd".repeat(20)}` },
    signOutUnlessLinked: { ...wallet, address: `0x${"cd".repeat(20)}` },
    startWithdrawal: { chain: "base", destination: wallet.address, amount: "5" },
    takeWithdrawal: {
      chain: "base",
      destination: wallet.address,
      amount: 5_000_000_000n,
      fee: 100_000_000n,
      opensAccount: false,
      nonce: "A".repeat(22),
      issuedAt: new Date(),
      signer: wallet,
      signature: "0x12",
    },
    cancelWithdrawal: { id: "wd_00000000000000000000" },
    findReceipt: "req_00000000000000000000",
    findCost: "req_00000000000000000000",
  };
};

const snapshot = async () =>
  (
    await pool().query(
      `SELECT (SELECT json_agg(k ORDER BY id) FROM api_key k) AS keys, (SELECT json_agg(a ORDER BY id) FROM account a) AS accounts,
         (SELECT json_agg(s.id ORDER BY id) FROM session s) AS sessions`,
    )
  ).rows;

test("no action does anything for a page of another session", async () => {
  const [before, now] = [await enter(), await enter()];
  const inputs = inputOf(now);
  const stale = { ok: false, message: "You are signed in with another wallet in another tab. Load this page again." };
  const rows = await snapshot();
  const silent = { findAvailable: null, findCost: null, signOutUnlessLinked: undefined };
  for (const [name, action] of Object.entries(actions)) {
    for (const sessionId of [before.sessionId, undefined, ""]) {
      const answer = await asRequest(now.token, () => action(sessionId, inputs[name]));
      expect(answer, name).toEqual(name in silent ? silent[name as keyof typeof silent] : stale);
    }
  }
  expect(await snapshot()).toEqual(rows);
});

test("without a session every action redirects to sign-in", async () => {
  const { sessionId } = await enter();
  for (const [name, action] of Object.entries(actions)) {
    await expect(
      asRequest(null, () => action(sessionId, {})),
      name,
    ).rejects.toMatchObject({ digest: expect.stringContaining(";/connect?next=") });
  }
});

test("a page's own actions are bound to its session, and work", async () => {
  const owner = await enter();
  const { findAvailable: available, signOutEverywhere } = forSession(owner, {
    findAvailable,
    signOutEverywhere: settings.signOutEverywhere,
  });
  expect(await asRequest(owner.token, () => available())).toBe(0n);
  await expect(asRequest(owner.token, () => signOutEverywhere({ pausesKeys: false }))).rejects.toMatchObject({
    digest: expect.stringContaining(";/connect;"),
  });
  expect(await findOwnerOf(owner.token)).toBeNull();
});

test("a run's cost is that of its receipt, kind by kind; while it goes on, its hold says for how long", async () => {
  const at = Date.now();
  const restoreClock = setClock(() => at);
  try {
    const accountId = await fundedAccount(1_000);
    const { token } = await openSession({ accountId, wallet, userAgent: "", clientAddress: "192.0.2.1" });
    const owner = await findOwnerOf(token);
    const cost = (requestId: string) => asRequest(token, () => findCost(owner?.sessionId, requestId));
    const held = await openHold(accountId, 100n, { until: new Date(at + 45_000) });
    expect(await cost(held.request)).toEqual({ state: "in_progress", endsInMs: 45_000 });
    await endHold(held, { input: 90, output: 7, details: { cachedInputTokens: 80 } });
    expect(await cost(held.request)).toEqual({
      state: "charged",
      receipt: {
        ...{ inputTokens: 90, outputTokens: 7, inputCost: 90n, outputCost: 7n, borne: 0n },
        lines: [
          { kind: "input", tokens: 10, due: 10n },
          { kind: "cache_read", tokens: 80, due: 80n },
          { kind: "output", tokens: 7, due: 7n },
        ],
      },
    });
    const released = await openHold(accountId, 100n);
    await endHold(released, null);
    expect(await cost(released.request)).toBeNull();
  } finally {
    restoreClock();
  }
});

test("a session acts sixty times a minute, and another session of the account can still stop it", async () => {
  const [owner, at] = [await enter(), Date.now()];
  const restoreClock = setClock(() => at); // while time stands still nothing is granted anew
  try {
    const act = () => asRequest(owner.token, () => findAvailable(owner.sessionId));
    const answers = await Promise.all(Array.from({ length: 18 }, act));
    while (answers.at(-1) !== null && answers.length < 100) answers.push(await act());
    expect(answers.filter((answer) => answer === 0n)).toHaveLength(60);
    expect(await asRequest(owner.token, () => keys.renameKey(owner.sessionId, {}))).toMatchObject({
      message: expect.stringMatching(/^Too many changes in the last minute\. Try again in \d+ seconds?\.$/),
    });
    const { token } = await openSession({ accountId: owner.accountId, wallet, userAgent: "", clientAddress: "192.0.2.2" });
    const other = await findOwnerOf(token);
    expect(await asRequest(token, () => findAvailable(other?.sessionId))).toBe(0n);
  } finally {
    restoreClock();
  }
});

test("a wallet that shows another account signs the owner out, unless that account is linked", async () => {
  const owner = await enter();
  await inTransaction((transaction) => addIdentity(owner.accountId, wallet, true, transaction));
  await asRequest(owner.token, () => signOutUnlessLinked(owner.sessionId, wallet));
  expect(await findOwnerOf(owner.token)).not.toBeNull();
  const other = { ...wallet, address: `0x${"cd".repeat(20)}` };
  await expect(asRequest(owner.token, () => signOutUnlessLinked(owner.sessionId, other))).rejects.toMatchObject({
    digest: expect.stringContaining(";/connect?ended=switched;"),
  });
  expect(await findOwnerOf(owner.token)).toBeNull();
});

test("without a demo wallet signDemo returns null for any input, and never throws", async () => {
  const inputs: unknown[][] = [["evm", "text"], [], ["evm"], ["bitcoin", "text"], [{}, null], ["evm", "x".repeat(5_000)]];
  for (const input of inputs) expect(await signDemo(...input)).toBeNull();
});
