import { expect, test } from "vitest";
import { configVariables, readConfig, readCustodySettings } from "./config";

const secret = "0123456789abcdef0123456789abcdef";
const live = {
  MODE: "live",
  KEY_PEPPER: secret,
  SESSION_SECRET: secret,
  SIGNER_SOCKET: "/run/pennyprompt/signer.sock",
  TREASURY_BASE_ADDRESS: `0x${"a".repeat(40)}`,
  TREASURY_SOLANA_ADDRESS: "So11111111111111111111111111111111111111112",
  PUBLIC_URL: "https://pennyprompt.example",
  DATABASE_URL: "postgresql://pennyprompt:secret@db.example:5432/pennyprompt",
};
const seed = {
  CUSTODY_SEED_FILE: "/run/secrets/seed",
  CUSTODY_PASSPHRASE: "a passphrase for tests",
  SIGNER_STATE_DIR: "/var/lib/pennyprompt-signer",
  OPERATOR_ADDRESS: `0x${"b".repeat(40)}`,
};
/** A process with the jobs role that holds the seed itself. */
const ownSeed = { ...live, ...seed, ROLES: "jobs", SIGNER_SOCKET: "" };
const signer = {
  MODE: "live",
  ROLES: "signer",
  ...seed,
  SIGNER_SOCKET: live.SIGNER_SOCKET,
  TREASURY_BASE_ADDRESS: live.TREASURY_BASE_ADDRESS,
  TREASURY_SOLANA_ADDRESS: live.TREASURY_SOLANA_ADDRESS,
};

test("a sandbox needs no settings", () => {
  expect(readConfig({})).toMatchObject({
    MODE: "sandbox",
    ROLES: ["api", "pages", "jobs"],
    PORT: 3000,
    SESSION_DAYS: 7,
    SESSION_IDLE_HOURS: 24,
    RATE_LIMIT_PER_MINUTE: 100,
    SANDBOX_REAL_MODELS: false,
  });
});

test("an empty variable counts as unset", () => {
  const empty = Object.fromEntries(configVariables.map((name) => [name, ""]));
  expect(readConfig(empty)).toEqual(readConfig({}));
});

// Every variable that can be wrong, with a wrong value and the part of the message that says what to write.
const urls = ["OPENAI", "ANTHROPIC", "GEMINI", "XAI", "DEEPSEEK"].map((name) => `${name}_BASE_URL`);
const counts: readonly [name: string, min: number, max: number][] = [
  ["DATABASE_POOL_SIZE", 3, 200],
  ["PROVIDER_CONNECT_TIMEOUT_MS", 100, 60_000],
  ["PROVIDER_FIRST_TOKEN_TIMEOUT_MS", 100, 600_000],
  ["PROVIDER_IDLE_TIMEOUT_MS", 100, 600_000],
  ["PROVIDER_TOTAL_TIMEOUT_MS", 1_000, 900_000],
  ["PROVIDER_RETRIES", 0, 5],
  ["SESSION_DAYS", 1, 90],
  ["SESSION_IDLE_HOURS", 1, 2_160],
  ["AUDIT_PERSONAL_DAYS", 1, 3_650],
  ["RATE_LIMIT_PER_MINUTE", 1, 1_000_000],
  ["CONCURRENCY_LIMIT", 1, 100_000],
  ["X402_CONCURRENCY_LIMIT", 1, 100_000],
  ["FAILED_AUTH_PER_MINUTE", 1, 100_000],
  ["SIGN_UPS_PER_NETWORK_A_DAY", 1, 1_000_000],
  ["SIGN_UP_ALARM_PER_HOUR", 1, 1_000_000],
  ["MAX_CONNECTIONS", 10, 1_000_000],
  ["MAX_CONNECTIONS_PER_ADDRESS", 1, 1_000_000],
  ["ADDRESS_POOL_SIZE", 1, 10_000],
  ["RELAYER_INDEX", 0, 1_000],
  ["BASE_CHAIN_ID", 1, Number.MAX_SAFE_INTEGER],
  ["DRAIN_TIMEOUT_MS", 0, 900_000],
  ["PAYMENT_MINIMUM_CENTS", 1, 1_000_000],
  ["PAYMENT_WAIT_MS", 1_000, 120_000],
  ["FAILED_FEE_LIMIT_PER_HOUR", 1, 1_000_000],
  ["PORT", 0, 65_535],
];
const amounts = ["FEE_BASE", "FEE_SOLANA", "FEE_SOLANA_ACCOUNT", "MINIMUM", "DAILY_LIMIT", "SERVICE_DAILY_LIMIT", "APPROVAL_ABOVE"];
const wrong: readonly (readonly [name: string, value: string, message: RegExp])[] = [
  ["MODE", "production", /"sandbox"\|"live"/],
  ["ROLES", "web,worker", /"web"\|"api"\|"pages"\|"jobs"\|"signer"/],
  ["ROLES", "jobs,signer", /signer stands alone.*npm run signer/],
  ["SIGNER_SOCKET", "/run/".padEnd(101, "s"), /at most 100 characters/],
  ["ROLES", ",", />=1/],
  ["SERVICE_NAME", "Penny Prompt", /one word of at most 31 letters and digits/],
  ["SERVICE_NAME", "P".repeat(32), /one word of at most 31 letters and digits/],
  ["PUBLIC_URL", "pennyprompt.example", /starting with http:\/\/ or https:\/\//],
  ["PUBLIC_URL", "ftp://pennyprompt.example", /starting with http:\/\/ or https:\/\//],
  ["DATABASE_URL", "mysql://root@localhost/x", /postgresql:\/\/user:password@host:5432\/database/],
  ["X402_FACILITATOR_URL", "facilitator.example", /starting with http:\/\/ or https:\/\//],
  ["REDIS_URL", "localhost:6379", /redis:\/\/host:6379/],
  ["SINGLE_NODE", "yes", /"refuse"\|"accept"/],
  ["BASE_RPC_URLS", "https://base.example,base.example", /starting with http:\/\/ or https:\/\//],
  ["SOLANA_RPC_URLS", "solana.example", /starting with http:\/\/ or https:\/\//],
  ["KEY_PEPPER", "short", /at least 32 random characters.*openssl rand -hex 32/],
  ["KEY_PEPPER_ALSO", "x".repeat(31), /at least 32 random characters/],
  ["SESSION_SECRET", "x".repeat(31), /at least 32 random characters/],
  ["CUSTODY_PASSPHRASE", "fifteen letters", /at least 16 characters.*openssl rand -hex 32/],
  ["CUSTODY_XPUB", `xprv${"1".repeat(107)}`, /custody -- verify/],
  ["TREASURY_BASE_ADDRESS", "0x1234", /0x… address/],
  ["RELAYER_DAILY_FEES_ETH", "1e3", /at most 18 decimal places/],
  ["TREASURY_DAILY_FEES_SOL", "0.0000000001", /at most 9 decimal places/],
  ["TREASURY_DAILY_RENT_SOL", "1,5", /at most 9 decimal places/],
  ["SPONSOR_DAILY_FEES_SOL", "-1", /at most 9 decimal places/],
  ["OPERATOR_ADDRESS", "0x1234", /0x… address of the key with which you approve/],
  ["TREASURY_SOLANA_ADDRESS", "0OIl".repeat(10), /base58 address/],
  ["SWEEP_MINIMUM_USD", "0.0000001", /at most 6 decimal places, like 0\.25/],
  ["CORS_ORIGINS", "app.example.com", /write origins like https:\/\/app\.example\.com, separated by commas, or \* for every page/],
  ["CORS_ORIGINS", "https://app.example.com/page", /write origins like/],
  ["CORS_ORIGINS", "*, https://app.example.com", /write \* alone/],
  ["X402_MINIMUM_USD", "1.000001", /at most 1/],
  ["X402_MINIMUM_USD", "0.0000001", /at most 6 decimal places, like 0\.25/],
  ["SANDBOX_REAL_MODELS", "yes", /"0"\|"1"/],
  ["MAIL_FROM", "nobody", /write an address, like alerts@example\.com/],
  ["SMTP_URL", "mail.example.com:587", /write smtps:\/\/user:password@host:465/],
  ["METRICS_TOKEN", "fifteen letters", /at least 16 characters/],
  ["WALLETCONNECT_PROJECT_ID", "my-project", /32 digits and letters/],
  ["LOG_LEVEL", "loud", /"info"/],
  ...urls.map((name) => [name, "api.example", /starting with http:\/\/ or https:\/\//] as const),
  ...amounts.flatMap((name) =>
    ["-1", "0.0000001", "1,5", "$5", "1e3"].map(
      (value) => [`WITHDRAWAL_${name}_USD`, value, /at most 6 decimal places, like 0\.25/] as const,
    ),
  ),
  ...counts.flatMap(([name, min, max]) => [
    [name, String(min - 1), new RegExp(`>=${min}`)] as const,
    [name, String(max + 1), new RegExp(`<=${max}`)] as const,
    [name, "many", /number/] as const,
    [name, String(min + 0.5), /int/] as const,
  ]),
];

test.each(wrong)("%s=%s is refused, with the variable's name and what to write", (name, value, message) => {
  const refused = () => readConfig({ [name]: value });
  expect(refused).toThrow(new RegExp(`^Some settings are wrong:\n  ${name}`));
  expect(refused).toThrow(message);
});

test("the list above holds every variable with a required format", () => {
  const free =
    /^(HOST|DATA_DIR|TRUSTED_PROXIES|CUSTODY_SEED_FILE|CUSTODY_PASSPHRASE_FILE|CUSTODY_KEY_COMMAND|SIGNER_STATE_DIR|OPERATOR_KEY_FILE|MODELS_FILE|PROVIDERS_FILE|\w+_API_KEY)$/;
  const listed = new Set(wrong.map(([name]) => name));
  expect(configVariables.filter((name) => !free.test(name) && !listed.has(name))).toEqual([]);
});

test("the minimum and the maximum of a number are allowed", () => {
  for (const [name, min, max] of counts) {
    expect(readConfig({ [name]: String(min) })).toMatchObject({ [name]: min });
    expect(readConfig({ [name]: String(max) })).toMatchObject({ [name]: max });
  }
});

test("one message reports all wrong variables and repeats no secret", () => {
  const refused = () => readConfig({ PORT: "70000", KEY_PEPPER: "hunter2", SESSION_SECRET: "swordfish", MODE: "prod" });
  for (const pattern of [/PORT/, /KEY_PEPPER/, /SESSION_SECRET/, /MODE/]) expect(refused).toThrow(pattern);
  expect(refused).not.toThrow(/hunter2|swordfish/);
});

test("mail needs its sender and, in a process that sends, its server; neither the login nor the URL is repeated", () => {
  const mail = { MAIL_FROM: "alerts@example.com", SMTP_URL: "smtps://hunter2:swordfish@mail.example.com" };
  expect(readConfig(mail)).toMatchObject({ MAIL_FROM: { address: "alerts@example.com" }, SMTP_URL: { port: 465 } });
  expect(() => readConfig({ SMTP_URL: mail.SMTP_URL })).toThrow("MAIL_FROM: required with SMTP_URL");
  expect(() => readConfig({ MAIL_FROM: mail.MAIL_FROM })).toThrow("SMTP_URL: required with MAIL_FROM");
  expect(readConfig({ MAIL_FROM: mail.MAIL_FROM, ROLES: "web" }).SMTP_URL).toBeUndefined();
  const wrong = () => readConfig({ ...mail, SMTP_URL: "smtps://hunter2:swordfish@mail.example.com?x=1" });
  expect(wrong).toThrow("SMTP_URL: write smtps://");
  expect(wrong).not.toThrow(/hunter2|swordfish/);
});

test.each(Object.keys(live).filter((name) => name !== "MODE"))("live mode refuses to start without %s", (name) => {
  expect(() => readConfig({ ...live, [name]: undefined })).toThrow(`${name}: required in live mode`);
});

test("in live mode a process that serves the web refuses the seed and its passphrase, and says what to do instead", () => {
  for (const ROLES of ["web", "web,jobs", ""]) {
    for (const [name, value] of Object.entries({ ...seed, CUSTODY_PASSPHRASE_FILE: "/p", CUSTODY_KEY_COMMAND: "kms decrypt" })) {
      if (name === "SIGNER_STATE_DIR" || name === "OPERATOR_ADDRESS") continue;
      const refused = new RegExp(`${name}: remove it here: .*must not hold the seed.*npm run signer.*SIGNER_SOCKET`);
      expect(() => readConfig({ ...live, ROLES, [name]: value })).toThrow(refused);
    }
  }
  for (const ROLES of ["web,jobs", ""]) {
    expect(() => readConfig({ ...live, ROLES, SIGNER_SOCKET: "" })).toThrow(/SIGNER_SOCKET: required .*npm run signer/);
  }
  expect(readConfig({ ...live, ROLES: "web", SIGNER_SOCKET: "" }).ROLES).toEqual(["api", "pages"]);
});

test("a process with the jobs role alone may hold the seed: it needs the file, a passphrase of one source, and a state of its own", () => {
  expect(readConfig(ownSeed)).toMatchObject({ CUSTODY_SEED_FILE: seed.CUSTODY_SEED_FILE });
  for (const name of Object.keys(seed)) {
    expect(() => readConfig({ ...ownSeed, [name]: "" })).toThrow(new RegExp(`${name}: required .*jobs role`));
  }
  const sources = {
    CUSTODY_PASSPHRASE: seed.CUSTODY_PASSPHRASE,
    CUSTODY_PASSPHRASE_FILE: "/run/secrets/p",
    CUSTODY_KEY_COMMAND: "kms decrypt",
  };
  const without = { ...ownSeed, CUSTODY_PASSPHRASE: "" };
  for (const [name, value] of Object.entries(sources)) {
    expect(readConfig({ ...without, [name]: value })).toMatchObject({ [name]: value });
    for (const [other, another] of Object.entries(sources)) {
      if (other !== name)
        expect(() => readConfig({ ...without, [name]: value, [other]: another })).toThrow(/CUSTODY_PASS\w+: set either this or/);
    }
  }
});

test("the signer needs the seed, its socket, its state and the pins, and neither the database nor the web's secrets", () => {
  expect(readConfig(signer)).toMatchObject({ ROLES: ["signer"] });
  for (const name of Object.keys(signer).filter((one) => one !== "MODE" && one !== "ROLES")) {
    expect(() => readConfig({ ...signer, [name]: "" })).toThrow(`${name}: required in live mode`);
  }
});

test("the custody command reads its own settings and needs no others", () => {
  expect(readCustodySettings({ MODE: "live", PORT: "many", CUSTODY_SEED_FILE: "seed" })).toEqual({ CUSTODY_SEED_FILE: "seed" });
  expect(() => readCustodySettings({ CUSTODY_PASSPHRASE: "hunter2" })).toThrow(/CUSTODY_PASSPHRASE: (?!.*hunter2)/);
  expect(() => readCustodySettings({ CUSTODY_PASSPHRASE: "x".repeat(16), CUSTODY_PASSPHRASE_FILE: "x" })).toThrow(/set either this or/);
});

test("live mode refuses a sandbox setting, and starts with all that it requires", () => {
  expect(readConfig(live)).toMatchObject({ MODE: "live", PUBLIC_URL: "https://pennyprompt.example" });
  expect(() => readConfig({ ...live, SANDBOX_REAL_MODELS: "1" })).toThrow(/SANDBOX_REAL_MODELS: remove it/);
});

test("a second pepper stands beside another one", () => {
  const other = "another pepper, of at least 32 characters";
  expect(readConfig({ KEY_PEPPER: secret, KEY_PEPPER_ALSO: other })).toMatchObject({ KEY_PEPPER: secret, KEY_PEPPER_ALSO: other });
  for (const wrong of [{ KEY_PEPPER_ALSO: other }, { KEY_PEPPER: secret, KEY_PEPPER_ALSO: secret }])
    expect(() => readConfig(wrong)).toThrow(/KEY_PEPPER_ALSO: a second pepper beside another KEY_PEPPER/);
});

test.each([
  ["PUBLIC_URL", "http://pennyprompt.example"],
  ["BASE_RPC_URLS", "https://base.example,http://10.0.0.7:8545"],
  ["SOLANA_RPC_URLS", "http://solana.example"],
])("live mode refuses %s=%s, and takes http on this machine; a sandbox takes any", (name, value) => {
  expect(() => readConfig({ ...live, [name]: value })).toThrow(new RegExp(`${name}: begin .* with https:// in live mode`));
  const SINGLE_NODE = "accept";
  expect(readConfig({ ...live, SINGLE_NODE, [name]: "http://127.0.0.1:8545" }).MODE).toBe("live");
  expect(readConfig({ ...live, SINGLE_NODE, [name]: "http://[::1]:8545" }).MODE).toBe("live");
  expect(readConfig({ [name]: value }).MODE).toBe("sandbox");
});

test.each(["BASE_RPC_URLS", "SOLANA_RPC_URLS"])(
  "live mode refuses one node, or two of one host, in %s unless the operator accepts it",
  (name) => {
    const alone = "https://one.example/v2/key";
    for (const one of [alone, `${alone},${alone}-2`, `${alone},https://one.example:8443`, `${alone},https://two.example,${alone}-2`]) {
      expect(() => readConfig({ ...live, [name]: one })).toThrow(
        new RegExp(`${name}: list two or more nodes, each of another operator.*SINGLE_NODE=accept`),
      );
      expect(() => readConfig({ ...live, [name]: one, SINGLE_NODE: "refuse" })).toThrow(/SINGLE_NODE=accept/);
      expect(readConfig({ ...live, [name]: one, SINGLE_NODE: "accept" }).MODE).toBe("live");
      expect(readConfig({ [name]: one }).MODE).toBe("sandbox");
    }
    expect(readConfig({ ...live, [name]: "https://one.example,https://two.example" }).MODE).toBe("live");
  },
);

test("blanks in a list and a URL's trailing slash are ignored", () => {
  expect(readConfig({ ROLES: " jobs , web ", TRUSTED_PROXIES: "10.0.0.0/8, loopback," })).toMatchObject({
    ROLES: ["jobs", "api", "pages"],
    TRUSTED_PROXIES: ["10.0.0.0/8", "loopback"],
  });
  expect(readConfig({ PUBLIC_URL: "https://pennyprompt.example//" }).PUBLIC_URL).toBe("https://pennyprompt.example");
});

test("origins are kept as browsers write them", () => {
  expect(readConfig({}).CORS_ORIGINS).toEqual([]);
  const given = "https://App.Example.com:443/, http://localhost:5173, chrome-extension://abcdefgh";
  expect(readConfig({ CORS_ORIGINS: given }).CORS_ORIGINS).toEqual([
    "https://app.example.com",
    "http://localhost:5173",
    "chrome-extension://abcdefgh",
  ]);
});

test("settings cannot be changed once they are read", () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});
