import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { keepTemporaryFilesInMemory } from "./memory-disk";

test("a directory that the caller has chosen stays", () => {
  vi.stubEnv("TMPDIR", "/somewhere");
  keepTemporaryFilesInMemory();
  expect(tmpdir()).toBe("/somewhere");
  vi.unstubAllEnvs();
});

test("without one, temporary files are in memory or where the system keeps them", () => {
  const chosen = process.env.TMPDIR;
  delete process.env.TMPDIR;
  keepTemporaryFilesInMemory();
  expect([undefined, "/dev/shm"]).toContain(process.env.TMPDIR);
  process.env.TMPDIR = chosen;
  if (chosen === undefined) delete process.env.TMPDIR;
});
