// Live mode: it starts when everything is set, with nothing simulated, and names each missing setting.

import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { fromCents } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openDurableDatabase } from "@/lib/db/testing/durable-database";
import { createTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { startTestModels, type TestModels } from "@/lib/sandbox/models/testing";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/custody/seed-signer";
import { writeNewSeedFile } from "@/lib/wallets/custody/seed-storage";
import { readBalance, readReadiness, requestWhole } from "./testing/requests";
import {
  bundleService,
  childrenOf,
  cleanUpServices,
  newDataDir,
  onCleanUp,
  type Running,
  startService,
  startSigner,
} from "./testing/service";

const database = await openDurableDatabase();
const secret = () => randomBytes(32).toString("hex");
const secrets = { KEY_PEPPER: secret(), SESSION_SECRET: secret(), METRICS_TOKEN: secret() };
const words = createWords();
const passphrase = secret();

let bundle: string;
let provider: TestModels;
let live: Record<string, string>;
/** The signer's own settings: it has no database, and none of the web's secrets. */
let ofSigner: Record<string, string>;
let signer: Running;

beforeAll(async () => {
  bundle = bundleService();
  provider = await startTestModels();
  onCleanUp(async () => void (await provider.stop()));
  const dataDir = newDataDir();
  const options = { mode: "live", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  await writeNewSeedFile(join(dataDir, "seed"), await sealSeed(words, passphrase, options));
  const { treasury } = await openSigner(words, "live");
  const pins = { TREASURY_BASE_ADDRESS: treasury.base, TREASURY_SOLANA_ADDRESS: treasury.solana };
  ofSigner = {
    MODE: "live",
    CUSTODY_SEED_FILE: join(dataDir, "seed"),
    CUSTODY_PASSPHRASE: passphrase,
    SIGNER_SOCKET: join(dataDir, "signer.sock"),
    SIGNER_STATE_DIR: join(dataDir, "signer"),
    OPERATOR_ADDRESS: `0x${"2".repeat(40)}`,
    ...pins,
  };
  live = {
    MODE: "live",
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PUBLIC_URL: "https://pennyprompt.example",
    SIGNER_SOCKET: join(dataDir, "signer.sock"),
    ...pins,
    OPENAI_API_KEY: provider.apiKey,
    OPENAI_BASE_URL: provider.baseUrls.openai,
    ...secrets,
  };
  signer = startSigner(bundle, ofSigner);
  await signer.ready;
});
afterAll(cleanUpServices);

async function refusalOfSigner(settings: Record<string, string>): Promise<string> {
  const started = startSigner(bundle, { ...settings, SIGNER_SOCKET: join(live.DATA_DIR ?? "", "another.sock") });
  expect(await started.ended).toEqual({ code: 1, signal: null });
  return started.output();
}

async function refusal(settings: Record<string, string>): Promise<string> {
  const service = startService(bundle, settings);
  expect(await service.ended).toEqual({ code: 1, signal: null });
  return service.output();
}

test("without its settings it refuses, and names every missing one at once, beside any wrong one", async () => {
  const text = await refusal({ MODE: "live", SANDBOX_REAL_MODELS: "1", PORT: "many" });
  const needed = [
    "KEY_PEPPER",
    "SESSION_SECRET",
    "SIGNER_SOCKET",
    "TREASURY_BASE_ADDRESS",
    "TREASURY_SOLANA_ADDRESS",
    "PUBLIC_URL",
    "DATABASE_URL",
  ];
  for (const name of needed) expect(text).toContain(`${name}: required in live mode`);
  expect(text).toMatch(/^ {2}PORT: /m);
  expect(text).toContain("SANDBOX_REAL_MODELS: remove it; live mode always uses real models");
});

test("a process that serves the web refuses the seed, with what to write instead", async () => {
  const { SIGNER_SOCKET: _, ...alone } = live;
  const text = await refusal({ ...alone, CUSTODY_SEED_FILE: ofSigner.CUSTODY_SEED_FILE ?? "", CUSTODY_PASSPHRASE: passphrase });
  for (const name of ["CUSTODY_SEED_FILE", "CUSTODY_PASSPHRASE"]) {
    expect(text).toContain(
      `${name}: remove it here: in live mode a process that serves the web must not hold the seed. Start \`npm run signer\``,
    );
  }
  expect(text).not.toContain(passphrase);
});

test("the signer refuses a seed that it cannot open, and a treasury that is not the seed's", async () => {
  expect(await refusalOfSigner({ ...ofSigner, CUSTODY_SEED_FILE: join(live.DATA_DIR ?? "", "missing") })).toMatch(
    /CUSTODY_SEED_FILE: .*missing does not exist/,
  );
  expect(await refusalOfSigner({ ...ofSigner, CUSTODY_SEED_FILE: live.DATA_DIR ?? "" })).toMatch(/CUSTODY_SEED_FILE: .* is not a file/);
  expect(await refusalOfSigner({ ...ofSigner, CUSTODY_PASSPHRASE: secret() })).toMatch(/cannot be decrypted: the passphrase is wrong/);
  expect(await refusalOfSigner({ ...ofSigner, TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}` })).toMatch(/do not match the seed/);
  chmodSync(ofSigner.CUSTODY_SEED_FILE ?? "", 0o644);
  expect(await refusalOfSigner(ofSigner)).toMatch(/CUSTODY_SEED_FILE: .*chmod 600/);
  chmodSync(ofSigner.CUSTODY_SEED_FILE ?? "", 0o600);
});

test("it refuses a price below the provider's cost", async () => {
  const modelsFile = join(live.DATA_DIR ?? "", "models.json");
  writeFileSync(modelsFile, JSON.stringify({ models: [{ id: "gpt-4-turbo", inputPrice: "0.001" }] }));
  expect(await refusal({ ...live, MODELS_FILE: modelsFile })).toMatch(
    /Prices below the provider's cost; correct them in MODELS_FILE:\n {2}gpt-4-turbo: input is sold at/,
  );
});

test("it refuses to start without a provider: simulated ones do not count", async () => {
  expect(await refusal({ ...live, OPENAI_API_KEY: "" })).toContain("No model can be served: set at least one of OPENAI_API_KEY");
});

test("it refuses a provider without its key, and a model whose reasoning nothing bounds, and says what to write", async () => {
  const file = (name: string, content: object) => {
    const path = join(live.DATA_DIR ?? "", name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const PROVIDERS_FILE = file("providers.json", {
    providers: [{ id: "acme", baseUrl: "http://127.0.0.1:1/v1", keyVariable: "ACME_API_KEY" }],
  });
  expect(await refusal({ ...live, PROVIDERS_FILE })).toContain("PROVIDERS_FILE: the key of acme is missing: set ACME_API_KEY to it");
  const grok = {
    id: "grok-4.3",
    routes: [{ provider: "acme", wireName: "x-ai/grok-4.3" }],
    contextWindow: 1_000_000,
    maxOutputTokens: 30_000,
    inputPrice: "2",
    outputPrice: "4",
    providerInputCost: "1.25",
    providerOutputCost: "2.5",
  };
  const withGrok = { ...live, PROVIDERS_FILE, ACME_API_KEY: "k", MODELS_FILE: file("reasoning.json", { models: [grok] }) };
  expect(await refusal(withGrok)).toMatch(/does not bound their reasoning.*:\n {2}grok-4\.3: write "reasoningCeiling"/);
});

test("it refuses a database that may lose commits, before anything is written to it", async () => {
  const forgetful = await createTestDatabase({ empty: true });
  onCleanUp(() => forgetful.drop());
  const text = await refusal({ ...live, DATABASE_URL: forgetful.url });
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) expect(text).toMatch(new RegExp(`^ +${name} is off: `, "m"));
  const { rows } = await forgetful.pool.query("SELECT count(*)::integer AS tables FROM pg_tables WHERE schemaname = 'public'");
  expect(rows).toEqual([{ tables: 0 }]);
});

test("each mode refuses a database of the other", async () => {
  const used = await database.create("used_by_a_sandbox");
  const sandbox = { DATA_DIR: newDataDir(), DATABASE_URL: used };
  const first = startService(bundle, sandbox);
  await first.ready;
  first.process.kill("SIGTERM");
  await first.ended;
  expect(await refusal({ ...live, DATABASE_URL: used })).toContain("This database holds sandbox money and MODE is live");
});

test("with everything set it serves a customer from a real database and a provider, and leaks no secret", async () => {
  const service = startService(bundle, live);
  const baseUrl = await service.ready;
  // From this machine, as whatever a proxy on it forwards: the token alone counts.
  const metrics = async (headers?: HeadersInit) => (await fetch(`${baseUrl}/api/metrics`, { headers })).status;
  expect([await metrics(), await metrics({ authorization: `Bearer ${secrets.METRICS_TOKEN}` })]).toEqual([404, 200]);
  const well = { accepting: true, addresses: true, database: true, heartbeat: true, jobs: true, nodes: true, signUps: true, signer: true };
  expect((await readReadiness(baseUrl)).checks).toEqual({ ...well, proxy: false });
  await expect.poll(() => service.output()).toContain("TRUSTED_PROXIES is not set: all clients count as one address");
  expect(childrenOf(service.pid)).toEqual([]);

  await openFunding();
  setSandboxPepper(secrets.KEY_PEPPER); // this process hashes keys as the service does
  const accountId = await fundedAccount(fromCents(100));
  const { key: apiKey } = await createKey({ accountId, name: "customer" });
  const { status, body } = await requestWhole({ baseUrl, apiKey }, "What does live mean?");
  expect(status).toBe(200);
  expect((await readBalance({ baseUrl, apiKey })).balance).toBeCloseTo(1 - (body.cost?.totalCost ?? 0), 9);

  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(await refusal({ DATABASE_URL: database.url, DATA_DIR: newDataDir() })).toContain(
    "This database holds live money and MODE is sandbox",
  );
  const { password } = new URL(database.url);
  const seed = words.split(" ").slice(0, 2).join(" ");
  for (const hidden of [...Object.values(secrets), seed, passphrase, provider.apiKey, apiKey, password])
    expect(service.output() + signer.output()).not.toContain(hidden);
  expect(service.output()).not.toMatch(/simulated|sandbox|demo/i);
});

test("a process with the web role alone starts without a signer, and one with the jobs role refuses a signer of another seed", async () => {
  const { SIGNER_SOCKET: _, ...webOnly } = live;
  const web = startService(bundle, { ...webOnly, ROLES: "web", REDIS_URL: "" });
  await web.ready;
  web.process.kill("SIGTERM");
  await web.ended;

  const other = createWords();
  const path = join(live.DATA_DIR ?? "", "another-seed");
  const options = { mode: "live", fingerprint: await fingerprintOf(other), cost: COST_FOR_RANDOM } as const;
  await writeNewSeedFile(path, await sealSeed(other, passphrase, options));
  const { xpub, treasury } = await openSigner(other, "live");
  const socket = join(live.DATA_DIR ?? "", "other.sock");
  const foreign = startSigner(bundle, {
    ...ofSigner,
    CUSTODY_SEED_FILE: path,
    SIGNER_SOCKET: socket,
    SIGNER_STATE_DIR: join(live.DATA_DIR ?? "", "other"),
    TREASURY_BASE_ADDRESS: treasury.base,
    TREASURY_SOLANA_ADDRESS: treasury.solana,
  });
  await foreign.ready;
  expect(await refusal({ ...live, SIGNER_SOCKET: socket })).toMatch(
    /uses the seed [0-9a-f]{8}, but the configured seed is .*CUSTODY_SEED_FILE/,
  );
  expect(await refusal({ ...webOnly, ROLES: "web", CUSTODY_XPUB: xpub })).toMatch(/CUSTODY_XPUB does not match this database's seed/);
});
