import { afterEach, expect, test, vi } from "vitest";
import { forEachIsolated } from "./for-each-isolated";
import { log } from "./observe/log";

const items = ["a", "b", "c", "d", "e"].map((id) => ({ id }));
const logged = vi.spyOn(log(), "error").mockImplementation(() => undefined);
afterEach(() => void logged.mockClear());

test("an item that fails is logged and does not stop the others", async () => {
  const done: string[] = [];
  const failure = new Error("no");
  await forEachIsolated(
    items,
    async ({ id }) => {
      if (id === "b") throw failure;
      done.push(id);
    },
    { what: "letter" },
  );
  expect(done).toEqual(["a", "c", "d", "e"]);
  expect(logged.mock.calls).toEqual([[{ err: failure, letter: "b" }, "a letter failed; it is retried in the next round"]]);
});

test("a failure that is reported elsewhere is not logged", async () => {
  const work = async () => {
    throw new Error("no node answers");
  };
  await forEachIsolated(items, work, { what: "letter", isReported: (error) => error instanceof Error && /node/.test(error.message) });
  expect(logged).not.toHaveBeenCalled();
});

test("items are worked on with the given concurrency, one at a time by default", async () => {
  const maxAtOnce = async (atOnce?: number): Promise<number> => {
    let [running, max] = [0, 0];
    const work = async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise(setImmediate);
      running -= 1;
    };
    await forEachIsolated(items, work, { what: "letter", ...(atOnce && { atOnce }) });
    return max;
  };
  expect([await maxAtOnce(), await maxAtOnce(3)]).toEqual([1, 3]);
});
