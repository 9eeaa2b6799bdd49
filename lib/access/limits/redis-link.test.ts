// What a link loads into its process. Each test runs in a separate process: a loaded module stays loaded.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

let directory: string;
beforeAll(() => {
  const cache = join("node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  directory = mkdtempSync(join(cache, "redis-link-"));
  buildSync({
    entryPoints: [join(import.meta.dirname, "redis-link.ts")],
    outfile: join(directory, "redis-link.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "@": process.cwd() },
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `program` in a new process; returns whether ioredis is loaded there and whether string methods are fast. */
function lookAfter(program: string): { isLoaded: boolean; areStringsFast: boolean } {
  const look = `
    import { createRequire } from "node:module";
    ${program}
    const isLoaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("/node_modules/ioredis/"));
    process.stdout.write(JSON.stringify({ isLoaded, areStringsFast: %HasFastProperties(String.prototype) }));`;
  const output = execFileSync(process.execPath, ["--allow-natives-syntax", "--input-type=module", "--eval", look], {
    env: { PATH: process.env.PATH, NODE_ENV: "test", MODE: "sandbox" },
    encoding: "utf8",
  });
  return JSON.parse(output) as { isLoaded: boolean; areStringsFast: boolean };
}

const bundle = (): string => JSON.stringify(`./${join(directory, "redis-link.mjs")}`);

test("loading ioredis slows string methods down: once it no longer does, keepStringsFast can go", () => {
  expect(lookAfter('await import("ioredis");')).toEqual({ isLoaded: true, areStringsFast: false });
});

test("a process that creates a link loads ioredis, and its strings stay fast", () => {
  const program = `const { RedisLink } = await import(${bundle()}); await new RedisLink("redis://127.0.0.1:1").close();`;
  expect(lookAfter(program)).toEqual({ isLoaded: true, areStringsFast: true });
});

test("a process without REDIS_URL creates no link and does not load ioredis", () => {
  const program = `const { redisLink } = await import(${bundle()}); if (redisLink() !== null) throw new Error("a link");`;
  expect(lookAfter(program)).toEqual({ isLoaded: false, areStringsFast: true });
});
