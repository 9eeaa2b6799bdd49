// The embedded database where it can have no Unix socket.

import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runningPostgresUrl, startEmbeddedPostgres } from "./embedded";
import { prepareBinaries } from "./embedded/binaries";
import { openHome } from "./embedded/home";
import { startServer } from "./embedded/server";
import { cleanUpEmbedded, newDataDir, queryOnce } from "./testing/embedded-fixture";

vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUpEmbedded);

const settings = { fsync: "off" };

test("a directory whose path is too long or too unusual for a socket is served on loopback only", async () => {
  for (const name of ["a".repeat(100), "with, comma"]) {
    const server = await startEmbeddedPostgres({ dataDir: join(newDataDir(), name), settings });
    expect(new URL(server.url).search).toBe("");
    expect(await queryOnce(server.url, "SHOW unix_socket_directories")).toEqual([{ unix_socket_directories: "" }]);
    await server.stop();
  }
});

test("where no socket can be created, the server starts without one, and runningPostgresUrl returns loopback", async () => {
  const dataDir = newDataDir();
  await (await startEmbeddedPostgres({ dataDir, settings })).stop();
  const home = openHome(dataDir, () => undefined);
  const server = await startServer(
    { ...home, directory: "/proc" },
    prepareBinaries(home, () => undefined),
    settings,
  );
  try {
    expect(server.socketDirectory).toBeUndefined();
    const url = (await runningPostgresUrl(dataDir)) ?? "";
    expect(new URL(url).search).toBe("");
    expect(await queryOnce(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  } finally {
    await server.stop();
  }
});
