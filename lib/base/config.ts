// The service's settings: one schema over the environment, read once, at start. A wrong value refuses to start and says
// what to write. Every variable is documented in `.env.example`; a test holds the two together.

import { z } from "zod";
import { custodyProblems, custodyShape, hasRole, mixedRoles, type Role, roles, rolesNamed, twoPassphrases } from "./custody-settings";
import { mailSender, smtpServer } from "./mail";
import { parseUsd } from "./money";
import { processSingleton } from "./process-singleton";

const flag = z
  .enum(["0", "1"])
  .default("0")
  .transform((text) => text === "1");
const port = z.coerce.number().int().min(0).max(65_535);
const count = (from: number, to: number) => z.coerce.number().int().min(from).max(to);
const secret = z.string().min(32, "write at least 32 random characters, for example the output of: openssl rand -hex 32");
const httpUrl = z
  .url({ protocol: /^https?$/, error: "write a full URL, starting with http:// or https://" })
  .transform((text) => text.replace(/(?<!\/)\/+$/, ""));
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);

/** An origin as browsers write it, which is how it is compared: without a path, in small letters, without the default port. */
const origin = z
  .string()
  .regex(
    /^(\*|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+\/?)$/i,
    "write origins like https://app.example.com, separated by commas, or * for every page",
  )
  .transform((text) => (/^https?:/i.test(text) && URL.canParse(text) ? new URL(text).origin : text.toLowerCase().replace(/\/$/, "")));

/** An amount of USDC that a chain can move: at most 6 decimal places. */
const usdcAmount = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, "write an amount of USD with at most 6 decimal places, like 0.25");
const usdc = (standard: string) => usdcAmount.default(standard).transform(parseUsd);

const withdrawalShape = {
  WITHDRAWAL_FEE_BASE_USD: usdc("0.10"),
  WITHDRAWAL_FEE_SOLANA_USD: usdc("0.10"),
  WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD: usdc("0.50"),
  WITHDRAWAL_MINIMUM_USD: usdc("1"),
  WITHDRAWAL_DAILY_LIMIT_USD: usdc("1000"),
  WITHDRAWAL_SERVICE_DAILY_LIMIT_USD: usdc("10000"),
  WITHDRAWAL_APPROVAL_ABOVE_USD: usdc("250"),
};

const paymentShape = {
  PAYMENT_MINIMUM_CENTS: count(1, 1_000_000).default(1),
  PAYMENT_WAIT_MS: count(1_000, 120_000).default(30_000),
  FAILED_FEE_LIMIT_PER_HOUR: count(1, 1_000_000).default(100),
  X402_MINIMUM_USD: usdcAmount
    .transform(parseUsd)
    .refine((amount) => amount <= parseUsd("1"), "write at most 1: x402 clients refuse to pay more by default")
    .optional(),
  X402_FACILITATOR_URL: httpUrl.optional(),
};

const schema = z.object({
  MODE: z.enum(["sandbox", "live"]).default("sandbox"),
  ROLES: list
    .pipe(z.array(z.enum(["web", ...roles])).min(1))
    .transform((names) => [...new Set(names.flatMap(rolesNamed))])
    .default(["api", "pages", "jobs"]),
  HOST: z.string().min(1).optional(),
  PORT: port.default(3000),
  PUBLIC_URL: httpUrl.optional(),
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9]{1,31}$/, "write one word of at most 31 letters and digits")
    .default("PennyPrompt"),
  DATA_DIR: z.string().min(1).default(".data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "write postgresql://user:password@host:5432/database" }).optional(),
  DATABASE_POOL_SIZE: count(3, 200).default(10),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: "write redis://host:6379" }).optional(),
  TRUSTED_PROXIES: list.default([]),
  CORS_ORIGINS: list
    .pipe(z.array(origin))
    .refine((all) => all.length < 2 || !all.includes("*"), "write * alone, or a list of origins without it")
    .default([]),
  KEY_PEPPER: secret.optional(),
  KEY_PEPPER_ALSO: secret.optional(),
  SESSION_SECRET: secret.optional(),
  ...custodyShape,
  ADDRESS_POOL_SIZE: count(1, 10_000).optional(),
  SWEEP_MINIMUM_USD: usdc("5"),
  ...withdrawalShape,
  ...paymentShape,
  BASE_RPC_URLS: list.pipe(z.array(httpUrl)).default([]),
  SOLANA_RPC_URLS: list.pipe(z.array(httpUrl)).default([]),
  SINGLE_NODE: z.enum(["refuse", "accept"]).optional(),
  BASE_CHAIN_ID: count(1, Number.MAX_SAFE_INTEGER).optional(),
  MODELS_FILE: z.string().min(1).optional(),
  PROVIDERS_FILE: z.string().min(1).optional(),
  SANDBOX_REAL_MODELS: flag,
  OPENAI_API_KEY: z.string().min(1).optional(),
  OPENAI_BASE_URL: httpUrl.default("https://api.openai.com/v1"),
  ANTHROPIC_API_KEY: z.string().min(1).optional(),
  ANTHROPIC_BASE_URL: httpUrl.default("https://api.anthropic.com"),
  GEMINI_API_KEY: z.string().min(1).optional(),
  GEMINI_BASE_URL: httpUrl.default("https://generativelanguage.googleapis.com"),
  XAI_API_KEY: z.string().min(1).optional(),
  XAI_BASE_URL: httpUrl.default("https://api.x.ai/v1"),
  DEEPSEEK_API_KEY: z.string().min(1).optional(),
  DEEPSEEK_BASE_URL: httpUrl.default("https://api.deepseek.com"),
  MISTRAL_API_KEY: z.string().min(1).optional(),
  GROQ_API_KEY: z.string().min(1).optional(),
  FIREWORKS_API_KEY: z.string().min(1).optional(),
  MOONSHOT_API_KEY: z.string().min(1).optional(),
  CEREBRAS_API_KEY: z.string().min(1).optional(),
  PROVIDER_CONNECT_TIMEOUT_MS: count(100, 60_000).default(5_000),
  PROVIDER_FIRST_TOKEN_TIMEOUT_MS: count(100, 600_000).default(60_000),
  PROVIDER_IDLE_TIMEOUT_MS: count(100, 600_000).default(30_000),
  PROVIDER_TOTAL_TIMEOUT_MS: count(1_000, 900_000).default(300_000),
  PROVIDER_RETRIES: count(0, 5).default(2),
  SESSION_DAYS: count(1, 90).default(7),
  SESSION_IDLE_HOURS: count(1, 2_160).default(24),
  AUDIT_PERSONAL_DAYS: count(1, 3_650).default(90),
  RATE_LIMIT_PER_MINUTE: count(1, 1_000_000).default(100),
  CONCURRENCY_LIMIT: count(1, 100_000).default(10),
  X402_CONCURRENCY_LIMIT: count(1, 100_000).default(64),
  FAILED_AUTH_PER_MINUTE: count(1, 100_000).default(60),
  SIGN_UPS_PER_NETWORK_A_DAY: count(1, 1_000_000).optional(),
  SIGN_UP_ALARM_PER_HOUR: count(1, 1_000_000).default(200),
  MAX_CONNECTIONS: count(10, 1_000_000).default(10_000),
  MAX_CONNECTIONS_PER_ADDRESS: count(1, 1_000_000).default(500),
  DRAIN_TIMEOUT_MS: count(0, 900_000).default(30_000),
  WALLETCONNECT_PROJECT_ID: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "write the 32 digits and letters that WalletConnect shows for your project")
    .optional(),
  MAIL_FROM: mailSender.optional(),
  SMTP_URL: smtpServer.optional(),
  METRICS_TOKEN: z.string().min(16, "write at least 16 characters").optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

export type Config = Readonly<z.infer<typeof schema>>;

export type { Role };

/** Names of all variables, for the test that holds `.env.example` against this schema. */
export const configVariables: readonly string[] = Object.keys(schema.shape);

const treasuries = ["TREASURY_BASE_ADDRESS", "TREASURY_SOLANA_ADDRESS"] as const;
/** The signer needs neither the database nor the web's secrets: it must not hold them. */
const serviceRequires = ["KEY_PEPPER", "SESSION_SECRET", "PUBLIC_URL", "DATABASE_URL"] as const;

function missingInLiveMode(set: Record<string, string | undefined>): string[] {
  const required = hasRole(set, "signer") ? treasuries : [...serviceRequires, ...treasuries];
  const missing = required.filter((name) => set[name] === undefined).map((name) => `${name}: required in live mode; see .env.example`);
  return [...missing, ...custodyProblems(set)];
}

const twoPeppers = ({ KEY_PEPPER, KEY_PEPPER_ALSO }: Record<string, string | undefined>): string[] =>
  KEY_PEPPER_ALSO !== undefined && (KEY_PEPPER === undefined || KEY_PEPPER === KEY_PEPPER_ALSO)
    ? ["KEY_PEPPER_ALSO: a second pepper beside another KEY_PEPPER; remove it, or see SECURITY.md"]
    : [];

/** Mails need their sender, and a process that sends them the mail server. */
function missingForMail(set: Record<string, string | undefined>): string[] {
  if (set.SMTP_URL !== undefined && set.MAIL_FROM === undefined)
    return ["MAIL_FROM: required with SMTP_URL: write the address that mails come from, like alerts@example.com"];
  if (set.MAIL_FROM !== undefined && set.SMTP_URL === undefined && hasRole(set, "jobs"))
    return ["SMTP_URL: required with MAIL_FROM for a process with the jobs role: write smtps://user:password@host:465"];
  return [];
}

const withoutEmpty = (environment: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));

const problemsIn = (error: z.ZodError | undefined): string[] =>
  error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];

const unusable = (problems: readonly string[]) => new Error(`Some settings are wrong:\n${problems.map((line) => `  ${line}`).join("\n")}`);

/**
 * Reads settings from `environment`. An empty variable counts as not set.
 * @throws Error that lists every wrong variable with what to write
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = withoutEmpty(environment);
  const result = schema.safeParse(set);
  const problems = [...problemsIn(result.error), ...twoPassphrases(set), ...mixedRoles(set), ...twoPeppers(set), ...missingForMail(set)];
  if (set.MODE === "live") {
    // Reported together with the other problems, so that the operator can fix everything in one pass.
    problems.push(...missingInLiveMode(set), ...(result.success ? [...findPlainUrls(result.data), ...findSingleNodes(result.data)] : []));
    if (set.SANDBOX_REAL_MODELS === "1") problems.push("SANDBOX_REAL_MODELS: remove it; live mode always uses real models");
  }
  if (
    result.success &&
    result.data.MODE === "sandbox" &&
    result.data.HOST &&
    !/^(localhost|::1|127(\.\d{1,3}){3})$/.test(result.data.HOST)
  ) {
    problems.push("HOST: a sandbox only listens on this machine; remove it, or write 127.0.0.1");
  }
  if (!result.success || problems.length > 0) throw unusable(problems);
  return Object.freeze(result.data);
}

const custodySchema = z.object({ ...custodyShape, DATABASE_URL: schema.shape.DATABASE_URL });

export type CustodySettings = Readonly<z.infer<typeof custodySchema>>;

/**
 * The custody settings alone, for the custody command: a seed may be created on a machine where nothing else is set.
 * @throws Error that lists every wrong variable with what to write
 */
export function readCustodySettings(environment: Record<string, string | undefined>): CustodySettings {
  const set = withoutEmpty(environment);
  const result = custodySchema.safeParse(set);
  const problems = [...problemsIn(result.error), ...twoPassphrases(set)];
  if (!result.success || problems.length > 0) throw unusable(problems);
  return Object.freeze(result.data);
}

/** The settings of this process, read on first use: `next build` evaluates route modules without any. */
export const config = processSingleton<Config>("config", () => readConfig(process.env));

/** Whether strangers send requests to this process: to the API, or for pages. */
export const isReachedByStrangers = ({ ROLES }: Pick<Config, "ROLES"> = config()): boolean =>
  rolesNamed("web").some((role) => ROLES.includes(role));

/** The value of a variable that PROVIDERS_FILE names; undefined when it is empty or not set. */
export const readNamedVariable = (name: string): string | undefined => process.env[name] || undefined;

interface NodeUrls {
  BASE_RPC_URLS: readonly string[];
  SOLANA_RPC_URLS: readonly string[];
}

const isLoopback = (url: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

const isPlain = (url: string): boolean => url.startsWith("http://") && !isLoopback(url);

/**
 * A page sent in plain shows its visitors' sessions to everybody on the way, and a node's answers decide who signs in and which deposits
 * are credited; http to this machine itself is allowed.
 */
function findPlainUrls({ PUBLIC_URL, BASE_RPC_URLS, SOLANA_RPC_URLS }: NodeUrls & { PUBLIC_URL?: string | undefined }): string[] {
  const problems = PUBLIC_URL !== undefined && isPlain(PUBLIC_URL) ? ["PUBLIC_URL: begin it with https:// in live mode"] : [];
  for (const [name, urls] of Object.entries({ BASE_RPC_URLS, SOLANA_RPC_URLS })) {
    if (urls.some(isPlain)) problems.push(`${name}: begin each node with https:// in live mode, or run it on this machine`);
  }
  return problems;
}

/** Chains with fewer than two nodes, or two at one host, unless the operator accepts a single node's word. A chain without nodes is not used. */
function findSingleNodes({ SINGLE_NODE, ...urls }: NodeUrls & { SINGLE_NODE?: "refuse" | "accept" | undefined }): string[] {
  if (SINGLE_NODE === "accept") return [];
  const { BASE_RPC_URLS, SOLANA_RPC_URLS } = urls;
  return Object.entries({ BASE_RPC_URLS, SOLANA_RPC_URLS })
    .filter(([, nodes]) => nodes.length === 1 || new Set(nodes.map((node) => new URL(node).hostname)).size < nodes.length)
    .map(
      ([name]) =>
        `${name}: list two or more nodes, each of another operator at a host of its own, since no operator alone must decide over sign-ins and money; or write SINGLE_NODE=accept to trust one`,
    );
}
