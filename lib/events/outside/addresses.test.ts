// Nothing that an owner names leads into our own network: every form of a private address is refused, when an endpoint is created and at
// each delivery.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createEndpoint } from "../endpoints";
import { openReceiver, type Receiver, withStatus } from "../testing/receiver";
import { isPublic, openResolver, setResolver } from "./addresses";
import { openOutsideClient } from "./client";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

let receiver: Receiver;
let restore: (() => void) | undefined;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterEach(() => restore?.());
afterAll(() => receiver.close());

const client = () => openOutsideClient(new AbortController().signal);

/** Posts with a client of its own. */
async function post(url: string) {
  const own = client();
  try {
    return await own.post({ url, headers: {}, body: "{}" });
  } finally {
    await own.close();
  }
}

const create = (target: string) => createEndpoint({ accountId: newAccountId(), kind: "webhook", target, types: null });

const refusedAddresses = [
  ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254", "169.254.170.2"],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"],
  ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1"],
  ...["64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2001:20::1"],
  ...["fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "fd12:3456:789a::1"],
];

test("no private, local, metadata, mapped or reserved address counts as public; public ones do", () => {
  expect(refusedAddresses.filter(isPublic)).toEqual([]);
  const open = ["1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700:4700::1111", "2a00:1450::1"];
  expect(open.filter((address) => !isPublic(address))).toEqual([]);
  expect(isPublic("nonsense")).toBe(false);
  process.stdout.write(`${refusedAddresses.length} addresses refused, ${open.length} taken\n`);
});

test("a name that leads to any of them is refused, also beside a public address", async () => {
  for (const address of refusedAddresses) {
    restore = setResolver(async () => ["93.184.215.14", address]);
    expect(await create("https://evil.example.com/")).toMatchObject({ ok: false, problem: expect.stringContaining("not public") });
    expect(await post("https://evil.example.com/")).toEqual({ error: expect.stringContaining("not public") });
    restore();
  }
});

test.each([
  ["http://169.254.169.254/latest/meta-data", "must begin with https"],
  ["https://169.254.169.254/latest/meta-data", "not a public address"],
  ["https://[::ffff:127.0.0.1]/", "not a public address"],
  ["https://[::ffff:7f00:1]:8443/", "not a public address"],
  ["https://2130706433.example:443/", "cannot be resolved"],
  ["https://0xa9.0xfe.0xa9.0xfe/", "not a public address"],
  ["https://2852039166/", "not a public address"],
  ["https://10.1/", "not a public address"],
  ["https://[fd00:ec2::254]/", "not a public address"],
  ["https://localhost./", "cannot be resolved"],
  ["https://user:secret@example.com/", "Remove the user name and password"],
  ["https://token@example.com/", "Remove the user name and password"],
  ["http://example.com/", "must begin with https"],
  ["ftp://example.com/", "Enter a full URL"],
  ["file:///etc/passwd", "Enter a full URL"],
  ["javascript:alert(1)", "Enter a full URL"],
  ["example.com/hooks", "Enter a full URL"],
  [`https://example.com/${"x".repeat(1_000)}`, "at most 1,000 characters"],
])("%s is refused, when it is created and when it is sent to", async (url, problem) => {
  restore = setResolver(async () => {
    throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
  });
  expect(await create(url)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  expect(await post(url)).toEqual({ error: expect.stringContaining(problem) });
});

test("a name that resolves to a private address at the second look gains nothing", async () => {
  const looks: string[] = [];
  restore = setResolver(async (name) => [looks.push(name) === 1 ? "93.184.215.14" : "127.0.0.1"]);
  const { port } = new URL(receiver.url);
  expect(await create(`https://rebind.example.com:${port}/`)).toMatchObject({ ok: true });
  const before = receiver.received.length;
  expect(await post(`https://rebind.example.com:${port}/`)).toEqual({ error: expect.stringContaining("not public") });
  expect(looks).toHaveLength(2);
  expect(receiver.received).toHaveLength(before);
});

test("names whose server never answers hold up no file of this process, and are given up", async () => {
  const silent = createSocket("udp4").bind(0, "127.0.0.1");
  await once(silent, "listening");
  try {
    restore = setResolver(openResolver([`127.0.0.1:${silent.address().port}`]));
    const open = { names: 40 };
    const creations = Array.from({ length: open.names }, (_, index) =>
      create(`https://n${index}.example.com/`).finally(() => {
        open.names -= 1;
      }),
    );
    await once(silent, "message");
    await stat(".");
    expect(open.names).toBe(40);
    for (const answer of await Promise.all(creations))
      expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining("cannot be resolved") });
  } finally {
    silent.close();
  }
});

test("a redirect is an answer, and is not followed", async () => {
  receiver.answer((response, { path }) =>
    path === "/inner"
      ? withStatus(200)(response, { headers: {}, body: "", path })
      : withStatus(302, { location: "/inner" })(response, { headers: {}, body: "", path }),
  );
  const before = receiver.received.length;
  expect(await post(receiver.url)).toMatchObject({ status: 302 });
  expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(["/"]);
});
