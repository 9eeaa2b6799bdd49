import { beforeAll, expect, test } from "vitest";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import { hasMadeKey, listKeyNames } from "./key-names";
import { createKey, setKeyState } from "./keys";

await openTestDatabase();
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));

test("an account reads the names of its own keys, revoked ones too, and of no other account's", async () => {
  const [accountId, other] = [await createAccount(), await createAccount()];
  const { keyId: first, key } = await createKey({ accountId, name: '=ci, "quoted"' });
  const { keyId: second } = await createKey({ accountId, name: "laptop" });
  const { keyId: foreign } = await createKey({ accountId: other, name: "theirs" });
  await setKeyState(accountId, first, "revoked");
  const names = await listKeyNames(accountId, [first, second, foreign, "", "' OR true --"]);
  expect(names.map(({ keyId, name, isRevoked }) => [keyId, name, isRevoked]).sort()).toEqual(
    [
      [first, '=ci, "quoted"', true],
      [second, "laptop", false],
    ].sort(),
  );
  expect(names.find(({ keyId }) => keyId === first)?.last4).toBe(key.slice(-4));
  expect(await listKeyNames(accountId, [])).toEqual([]);
});

test("an account that created a key has made one, even after it is revoked", async () => {
  const accountId = await createAccount();
  expect(await hasMadeKey(accountId)).toBe(false);
  const { keyId } = await createKey({ accountId, name: "one" });
  await setKeyState(accountId, keyId, "revoked");
  expect(await hasMadeKey(accountId)).toBe(true);
});
