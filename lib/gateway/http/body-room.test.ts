// The room for large bodies: what is announced takes nothing, nobody takes all, and whatever comes together is read in the end.

import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyRoom, type BodySpace } from "./body-room";

const MIB = 1_048_576;
const { signal: here } = new AbortController();

async function begin(room: BodyRoom, name: string, { mib = 32, network = name, isFunded = true } = {}): Promise<BodySpace> {
  const space = await room.open({ account: name, network, isFunded }, mib * MIB, here);
  if (!space) throw new Error(`no space for ${name}`);
  return space;
}

const settle = () => new Promise((done) => setImmediate(done));

test("what is announced takes no room: thirty bodies of which one byte has come leave all of it to a customer", async () => {
  const room = new BodyRoom();
  const customer = begin(room, "customer");
  for (let count = 0; count < 30; count++) begin(room, `stranger ${count % 3}`).catch(() => undefined);
  expect((await customer).holdTo(32 * MIB)).toBe(true);
});

test("however many accounts of one network fill their bodies, and however many networks, the next one finds room", async () => {
  const room = new BodyRoom();
  for (let count = 0; count < 100; count++) {
    const space = await begin(room, `stranger ${count}`, { network: `network ${count % 4}` });
    for (let mib = 1; mib <= 32; mib++) void space.holdTo(mib * MIB);
    space.finish();
  }
  expect((await begin(room, "customer")).holdTo(2 * MIB)).toBe(true);
});

test("an account sends three of the largest bodies at once, and its next one waits for the end of one of them alone", async () => {
  const room = new BodyRoom();
  const first = await begin(room, "customer");
  await Promise.all([begin(room, "customer"), begin(room, "customer")]);
  let hasBegun = false;
  const fourth = begin(room, "customer").then(() => {
    hasBegun = true;
  });
  await begin(room, "another");
  await settle();
  expect(hasBegun).toBe(false);
  first.finish();
  await fourth;
});

test("those that bring a payment, which nobody has checked yet, share little room among them", async () => {
  const room = new BodyRoom({ waitMs: 20 });
  await begin(room, "a", { isFunded: false });
  await begin(room, "b", { isFunded: false });
  await expect(begin(room, "c", { isFunded: false })).rejects.toThrow("no space");
  await begin(room, "c");
});

test("a space that is closed twice is given back once, and a client that leaves waits no more", async () => {
  const room = new BodyRoom({ bytes: 64 * MIB });
  const first = await begin(room, "first");
  expect(first.holdTo(32 * MIB)).toBe(true);
  first.finish();
  const left = new AbortController();
  const second = await room.open({ account: "second", network: "first", isFunded: true }, MIB, left.signal);
  const waiting = second?.holdTo(MIB);
  left.abort();
  expect(await waiting).toBe(false);
  first.close();
  first.close();
  second?.close();
  const third = await begin(room, "third");
  expect(third.holdTo(32 * MIB)).toBe(true);
  third.finish();
  const fourth = await begin(room, "fourth");
  expect(fourth.holdTo(16 * MIB)).toBe(true);
  expect(await Promise.race([fourth.holdTo(17 * MIB), settle().then(() => "waits")])).toBe("waits");
});

test("bodies that arrive together in any order are all read in the end, and all room is free again", async () => {
  const bodyArbitrary = fc.record({
    account: fc.constantFrom("a", "b", "c", "d"),
    network: fc.constantFrom("x", "y"),
    mib: fc.integer({ min: 2, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(bodyArbitrary, { minLength: 1, maxLength: 20 }), fc.scheduler(), async (bodies, scheduler) => {
      const room = new BodyRoom({ bytes: 16 * MIB, reservedBytes: 8 * MIB });
      const run = async ({ account, network, mib }: (typeof bodies)[number]): Promise<void> => {
        const space = await room.open({ account, network, isFunded: true }, mib * MIB, here);
        for (let arrived = 2; arrived <= mib; arrived++) {
          await scheduler.schedule(Promise.resolve());
          expect(await space?.holdTo(arrived * MIB)).toBe(true);
        }
        space?.finish();
        await scheduler.schedule(Promise.resolve());
        space?.close();
      };
      const all = Promise.all(bodies.map(run));
      await scheduler.waitFor(all);
      const whole = await begin(room, "e", { mib: 8 });
      expect(whole.holdTo(8 * MIB)).toBe(true);
      whole.finish();
      expect((await begin(room, "f", { mib: 4 })).holdTo(4 * MIB)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
