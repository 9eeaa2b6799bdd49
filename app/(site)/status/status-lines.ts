// The status of this process as text: one line for each part, and one sentence for all of them.

import type { StatusGroup, StatusLine } from "@/components/site/status-report";
import { providerName } from "@/lib/console/models";
import type { Check } from "@/lib/gateway/http/health";
import type { ProviderStatus, ServiceStatus } from "@/lib/gateway/http/status";

/** The groups of the page, in order. */
export function statusGroups({ checks, limits, providers }: ServiceStatus): StatusGroup[] {
  return [
    { title: "Service", lines: [...checks.map(checkLine), limitLine(limits)] },
    { title: "Models", lines: providers.map(providerLine) },
  ];
}

const OK = "Operational";

const words: Record<string, { name: string; well: string; wrong: string }> = {
  accepting: { name: "API requests", well: OK, wrong: "Restarting" },
  database: { name: "Database", well: OK, wrong: "Not responding" },
  heartbeat: { name: "API server", well: OK, wrong: "Not responding" },
  jobs: { name: "Deposits, withdrawals and alerts", well: OK, wrong: "Delayed" },
  addresses: { name: "Deposit addresses", well: OK, wrong: "None available, so new accounts are delayed" },
  signUps: { name: "Sign-ups", well: OK, wrong: "Unusually many" },
  proxy: { name: "Limits per address", well: OK, wrong: "All clients share one limit" },
  nodes: { name: "Blockchain nodes", well: OK, wrong: "Two nodes disagreed in the last hour" },
  signer: { name: "Withdrawals", well: OK, wrong: "Delayed" },
  sandbox: { name: "Simulated models", well: OK, wrong: "Restarting" },
  chains: { name: "Sandbox chains", well: OK, wrong: "Starting" },
};

function checkLine({ name, isWell, isVital, wrongSince, ms }: Check): StatusLine {
  const known = words[name] ?? { name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, well: OK, wrong: "Not working" };
  const took = ms === undefined || !isWell ? "" : ` · ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return {
    name: known.name,
    tone: isWell ? "good" : isVital ? "bad" : "weak",
    word: isWell ? known.well + took : known.wrong,
    since: wrongSince,
  };
}

const limitWords = {
  alone: { tone: "good", word: OK },
  shared: { tone: "good", word: OK },
  lost: { tone: "weak", word: "Counted per server" },
} as const;

const limitLine = (limits: ServiceStatus["limits"]): StatusLine => ({ name: "Rate limits", since: null, ...limitWords[limits] });

function providerLine({ provider, isSimulated, leftAloneSince, retryAfterMs }: ProviderStatus): StatusLine {
  const name = providerName(provider);
  if (leftAloneSince === null) return { name, tone: "good", word: isSimulated ? `${OK} (simulated)` : OK, since: null };
  const next = retryAfterMs > 0 ? `in ${Math.ceil(retryAfterMs / 1_000)} s` : "on the next request";
  return { name, tone: "bad", word: `Paused after failures. Next try ${next}`, since: leftAloneSince };
}

/** The summary, worst first. */
export function statusSentence({ checks, limits, providers }: ServiceStatus): { tone: StatusLine["tone"]; text: string } {
  const wrong = checks.filter(({ isWell }) => !isWell).map(({ name }) => name);
  if (wrong.includes("database")) {
    return { tone: "bad", text: "The database is down. Requests are refused and not charged." };
  }
  if (wrong.includes("accepting")) return { tone: "weak", text: "This server is restarting. Send your request again." };
  const away = providers.filter(({ leftAloneSince }) => leftAloneSince !== null).map(({ provider }) => providerName(provider));
  if (wrong.includes("sandbox") || (away.length > 0 && away.length === providers.length)) {
    return { tone: "bad", text: "No model is responding. Refused requests are not charged." };
  }
  if (away.length > 0) return { tone: "weak", text: `${away.join(" and ")} models may be unavailable. Everything else works.` };
  if (wrong.length === 1 && wrong[0] === "addresses") {
    return { tone: "weak", text: "API requests and sign-in work. New accounts are paused until an address is available." };
  }
  if (wrong.length === 1 && wrong[0] === "signUps") {
    return { tone: "weak", text: "Everything works. Unusually many new accounts are being opened." };
  }
  if (wrong.length === 1 && wrong[0] === "proxy") {
    return { tone: "weak", text: "Everything works, but all clients share one limit per address." };
  }
  if (wrong.length === 1 && wrong[0] === "nodes") {
    return { tone: "weak", text: "API requests work. Two blockchain nodes disagree, so some deposits may be delayed." };
  }
  if (wrong.length === 1 && wrong[0] === "chains") {
    return { tone: "weak", text: "API requests work. The sandbox chains are starting." };
  }
  if (wrong.length > 0) return { tone: "weak", text: "API requests work. Deposits, withdrawals or alerts may be delayed." };
  if (limits === "lost") return { tone: "weak", text: "API requests work. Rate limits are counted per server for now." };
  return { tone: "good", text: "All systems operational" };
}
