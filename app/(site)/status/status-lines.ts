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

const words: Record<string, { name: string; well: string; wrong: string }> = {
  accepting: { name: "Requests", well: "accepted", wrong: "sent elsewhere: this process is shutting down" },
  database: { name: "Database", well: "answers", wrong: "does not answer" },
  jobs: { name: "Work in the background", well: "runs", wrong: "stands still" },
  addresses: { name: "New accounts", well: "can be opened", wrong: "cannot be opened: no deposit address is free" },
  sandbox: { name: "Simulated models", well: "run", wrong: "are being started again" },
  chains: { name: "Sandbox chains", well: "run", wrong: "are starting" },
};

function checkLine({ name, isWell, isVital, wrongSince, ms }: Check): StatusLine {
  const known = words[name] ?? { name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, well: "works", wrong: "does not work" };
  const took = ms === undefined || !isWell ? "" : ` in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return {
    name: known.name,
    tone: isWell ? "good" : isVital ? "bad" : "weak",
    word: isWell ? known.well + took : known.wrong,
    since: wrongSince,
  };
}

const limitWords = {
  alone: { tone: "good", word: "kept by this process" },
  shared: { tone: "good", word: "shared by all processes, through Redis" },
  lost: { tone: "weak", word: "kept by each process: Redis is out of reach" },
} as const;

const limitLine = (limits: ServiceStatus["limits"]): StatusLine => ({ name: "Limits", since: null, ...limitWords[limits] });

function providerLine({ provider, isSimulated, leftAloneSince, retryAfterMs }: ProviderStatus): StatusLine {
  const name = providerName[provider];
  if (leftAloneSince === null) return { name, tone: "good", word: isSimulated ? "in use, simulated" : "in use", since: null };
  const next = retryAfterMs > 0 ? `in ${Math.ceil(retryAfterMs / 1_000)} s` : "with the next request";
  return { name, tone: "bad", word: `left alone after failures, tried again ${next}`, since: leftAloneSince };
}

/** The summary, worst first. */
export function statusSentence({ checks, limits, providers }: ServiceStatus): { tone: StatusLine["tone"]; text: string } {
  const wrong = checks.filter(({ isWell }) => !isWell).map(({ name }) => name);
  if (wrong.includes("database")) {
    return { tone: "bad", text: "The database does not answer. Requests to models are refused, and what is refused is not charged." };
  }
  if (wrong.includes("accepting")) return { tone: "weak", text: "This process is shutting down. Send your request again." };
  const away = providers.filter(({ leftAloneSince }) => leftAloneSince !== null).map(({ provider }) => providerName[provider]);
  if (wrong.includes("sandbox") || (away.length > 0 && away.length === providers.length)) {
    return { tone: "bad", text: "No model answers at present. What is refused is not charged." };
  }
  if (away.length > 0) return { tone: "weak", text: `Models of ${away.join(" and ")} may not answer. Everything else works.` };
  if (wrong.length === 1 && wrong[0] === "addresses") {
    return { tone: "weak", text: "Requests are answered, and owners get in. No new account can be opened until an address is free." };
  }
  if (wrong.length === 1 && wrong[0] === "chains") {
    return { tone: "weak", text: "Requests are answered. The sandbox's own chains are starting." };
  }
  if (wrong.length > 0) return { tone: "weak", text: "Requests are answered. Some work behind them stands still." };
  if (limits === "lost") return { tone: "weak", text: "Requests are answered. Each process counts limits by itself until Redis is back." };
  return { tone: "good", text: "Everything works." };
}
