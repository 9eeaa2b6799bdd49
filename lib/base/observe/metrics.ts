// Prometheus metrics, one registry a process. Every metric of the service is declared in this file, so that the list an
// operator reads is the list there is. Labels are few and bounded: never an account, a key or a request.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { once } from "../once";

const latencyBucketsS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

function makeMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "pennyprompt_requests_total",
      help: "API requests by endpoint, status and error code",
      labelNames: ["endpoint", "status", "code"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "pennyprompt_request_seconds",
      help: "Seconds from the first byte of a request to the end of its answer",
      labelNames: ["endpoint"],
      buckets: latencyBucketsS,
      registers,
    }),
    gatewaySeconds: new Histogram({
      name: "pennyprompt_gateway_seconds",
      help: "Seconds of a request that were ours, not the provider's",
      buckets: latencyBucketsS,
      registers,
    }),
    inFlight: new Gauge({ name: "pennyprompt_requests_in_flight", help: "API requests being answered", registers }),
    chargedNanoUsd: new Counter({
      name: "pennyprompt_charged_nano_usd_total",
      help: "Charged to customers, nano-USD",
      labelNames: ["model"],
      registers,
    }),
    operatorLossNanoUsd: new Counter({
      name: "pennyprompt_operator_loss_nano_usd_total",
      help: "Borne by the operator, nano-USD, by reason",
      labelNames: ["reason"],
      registers,
    }),
    overruns: new Counter({
      name: "pennyprompt_overruns_total",
      help: "Answers that cost more than their hold",
      labelNames: ["model"],
      registers,
    }),
    providerCalls: new Counter({
      name: "pennyprompt_provider_calls_total",
      help: "Provider calls by outcome (ok or a failure kind)",
      labelNames: ["provider", "outcome"],
      registers,
    }),
    providerSeconds: new Histogram({
      name: "pennyprompt_provider_seconds",
      help: "Seconds until a provider's answer was complete",
      labelNames: ["provider"],
      buckets: latencyBucketsS,
      registers,
    }),
    circuitOpen: new Gauge({
      name: "pennyprompt_provider_circuit_open",
      help: "1 while calls to a provider are refused without trying",
      labelNames: ["provider"],
      registers,
    }),
    holdsExpired: new Counter({ name: "pennyprompt_holds_expired_total", help: "Holds freed by the reaper", registers }),
    lostAnswers: new Counter({
      name: "pennyprompt_lost_answers_total",
      help: "Answers whose hold had expired before they were settled",
      registers,
    }),
    ledgerBatchSize: new Histogram({
      name: "pennyprompt_ledger_batch_items",
      help: "Items of a ledger batch",
      labelNames: ["operation"],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    ledgerBatchSeconds: new Histogram({
      name: "pennyprompt_ledger_batch_seconds",
      help: "Seconds of a ledger batch, commit included",
      labelNames: ["operation"],
      buckets: latencyBucketsS,
      registers,
    }),
    ledgerViolations: new Gauge({
      name: "pennyprompt_ledger_violations",
      help: "Invariants that the last check-ledger found broken; 0 is clean",
      registers,
    }),
    limited: new Counter({ name: "pennyprompt_limited_total", help: "Requests refused by a limit", labelNames: ["limit"], registers }),
    limitsProcessLocal: new Gauge({
      name: "pennyprompt_limits_process_local",
      help: "1 while Redis is out of reach and each process keeps the limits by itself",
      registers,
    }),
    jobSeconds: new Histogram({
      name: "pennyprompt_job_seconds",
      help: "Seconds of a background job's run",
      labelNames: ["job", "outcome"],
      buckets: latencyBucketsS,
      registers,
    }),
  };
}

/** All metrics of this process. */
export const metrics = () => once("metrics", makeMetrics);
