// Prometheus metrics, one registry per process. This file declares every metric of the service, so it is the complete list for an
// operator. Labels are few and bounded: never an account, a key or a request.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { requestsUnderWay } from "../busy-poll";
import { processSingleton } from "../process-singleton";

const latencyBucketsS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Declares metrics in one registry; names get the service's prefix. */
function declare(registry: Registry) {
  const named = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({
    name: `pennyprompt_${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    counter: <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) =>
      new Counter<Label>(named(name, help, labels)),
    gauge: <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) =>
      new Gauge<Label>(named(name, help, labels)),
    /** A gauge whose value is kept elsewhere: `read` is called whenever the metrics are collected. */
    reading: (name: string, help: string, read: () => number) =>
      new Gauge({
        ...named(name, help, []),
        collect() {
          this.set(read());
        },
      }),
    histogram: <Label extends string = never>(name: string, help: string, labels: readonly Label[] = [], buckets = latencyBucketsS) =>
      new Histogram<Label>({ ...named(name, help, labels), buckets }),
  };
}

type Declare = ReturnType<typeof declare>;

const requestMetrics = ({ counter, gauge, reading, histogram }: Declare) => ({
  requests: counter("requests_total", "API requests by endpoint, status and error code", ["endpoint", "status", "code"]),
  requestSeconds: histogram("request_seconds", "Seconds from the first byte of a request to the end of its answer", ["endpoint"]),
  gatewaySeconds: histogram("gateway_seconds", "Seconds of a request that were ours, not the provider's"),
  inFlight: reading("requests_in_flight", "API requests being answered", requestsUnderWay),
  limited: counter("limited_total", "Requests refused by a limit", ["limit"]),
  signUps: counter("sign_ups_total", "Accounts opened by a first sign-in"),
  signUpsInAnHour: gauge("sign_ups_in_an_hour", "Accounts that all networks opened in the last hour; more than the alarm is unusual"),
  clockOffsetMs: gauge("clock_offset_ms", "How far this machine's clock is ahead of the database's, which decides, in milliseconds"),
  limitsProcessLocal: gauge("limits_process_local", "1 while Redis is out of reach and each process keeps the limits by itself"),
});

const providerMetrics = ({ counter, gauge, histogram }: Declare) => ({
  providerCalls: counter("provider_calls_total", "Provider calls by outcome (ok or a failure kind)", ["provider", "outcome"]),
  providerSeconds: histogram("provider_seconds", "Seconds until a provider's answer was complete", ["provider"]),
  otherServiceTiers: counter("provider_other_tier_total", "Answers of a service tier that was not asked for, whose extra cost is ours", [
    "tier",
  ]),
  zeroCounts: counter("provider_zero_counts_total", "Answers for which their provider counted no tokens: our own count was charged", [
    "provider",
  ]),
  circuitOpen: gauge("provider_circuit_open", "1 while calls to a provider are refused without trying", ["provider"]),
  modelCircuitOpen: gauge(
    "provider_model_circuit_open",
    "1 while calls of one model, which its provider has too much to do for, are refused",
    ["provider", "model"],
  ),
});

const moneyMetrics = ({ counter, gauge, histogram }: Declare) => ({
  chargedNanoUsd: counter("charged_nano_usd_total", "Charged to customers, nano-USD", ["model"]),
  operatorLossNanoUsd: counter("operator_loss_nano_usd_total", "Borne by the operator, nano-USD, by reason", ["reason"]),
  unbilledNanoUsd: counter(
    "unbilled_nano_usd_total",
    "What providers probably bill beyond estimated charges, nano-USD, by how their answers ended",
    ["outcome"],
  ),
  estimatedCharges: counter("estimated_charges_total", "Answers charged by our own count, by how they ended", ["outcome"]),
  overruns: counter("overruns_total", "Answers that cost more than their hold", ["model"]),
  holdsExpired: counter("holds_expired_total", "Holds freed by the reaper"),
  unknownCalls: counter("unknown_calls_total", "Settlements that wait because the database has the functions of another release"),
  lostAnswers: counter("lost_answers_total", "Answers whose hold had expired before they were settled"),
  ledgerBatchSize: histogram("ledger_batch_items", "Items of each kind in a ledger batch", ["operation"], batchBuckets),
  ledgerBatchSeconds: histogram("ledger_batch_seconds", "Seconds of a ledger batch, commit included"),
  ledgerViolations: gauge("ledger_violations", "Invariants that the last check-ledger found broken; 0 is clean"),
});

const blockBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

const walletMetrics = ({ counter, gauge, histogram }: Declare) => ({
  nodeDisagreements: counter(
    "node_disagreements_total",
    "Times that two nodes gave different answers about one block: one lies or is broken",
    ["chain"],
  ),
  addressPoolFree: gauge("address_pool_free", "Addresses that the signer has ready for new accounts"),
  walletsRefused: counter("wallets_refused_total", "Wallets that could not be given: the pool was empty, or its row was forged", [
    "reason",
  ]),
  watchRounds: counter(
    "watch_rounds_total",
    "Rounds of a chain's watcher by outcome: read, elsewhere (another process has it), doubtful, failed, or lost (look into it)",
    ["chain", "outcome"],
  ),
  watchHeadLag: gauge("watch_head_lag_blocks", "Blocks of a chain that are there and were not read at the last round", ["chain"]),
  watchReorgBlocks: histogram("watch_reorg_blocks", "Blocks that were read and had to be read again", ["chain"], blockBuckets),
  deposits: gauge("deposits", "Deposits by chain and state", ["chain", "state"]),
  withdrawalsOpen: gauge("withdrawals_open", "Withdrawals that are not over, by state, or by what an approved one waits for", ["state"]),
  sweptNanoUsd: counter("swept_nano_usd_total", "Brought from deposit addresses to the treasury, nano-USD", ["chain"]),
  sweepsWaiting: gauge(
    "sweeps_waiting",
    "Sweeps that wait, by reason: paused, address_blocked, treasury_blocked, no_gas_money, relay_stopped, failed, lost",
    ["chain", "reason"],
  ),
});

const paymentMetrics = ({ counter, histogram }: Declare) => ({
  payments: counter(
    "payments_total",
    "Payments of requests by outcome: paid, covered (by the payer's credit), failed, pending, credited_late (nobody waited any more), reversed",
    ["scheme", "outcome"],
  ),
  paymentsFailedOnChain: counter(
    "payment_transactions_failed_total",
    "Transactions of payments that moved nothing since their payers could not pay any more: their fee is lost",
    ["scheme"],
  ),
  paymentsLimited: counter(
    "payments_limited_total",
    "Payments refused without a transaction since too many moved nothing, by whose: payer_failed, others_failed (of wallets that never paid)",
    ["scheme", "reason"],
  ),
  paymentSeconds: histogram("payment_seconds", "Seconds from a payment's claim until a block had it", ["scheme"]),
});

const relayMetrics = ({ gauge }: Declare) => ({
  relayWaiting: gauge("relay_waiting", "Transactions of ours that are in no block yet", ["chain"]),
  relayOldestSeconds: gauge("relay_oldest_seconds", "Age of the oldest transaction of ours that is in no block yet", ["chain"]),
  relayStopped: gauge("relay_stopped", "Relayers whose nonces are not the chain's: nothing of theirs is sent"),
  relayerEth: gauge("relayer_eth", "What the relayer has left to pay for transactions on Base, in ETH"),
  feePayerLamports: gauge("fee_payer_lamports", "What the treasury has left to pay for transactions on Solana, in lamports"),
  sponsorLamports: gauge("sponsor_lamports", "What the sponsor has left to pay for payments on Solana, in lamports"),
});

const reserveMetrics = ({ gauge }: Declare) => ({
  reservesOwed: gauge("reserves_owed_nano_usd", "Owed to customers at the last report that could tell, nano-USD; a debt lies on no chain"),
  reservesHeld: gauge("reserves_held_nano_usd", "USDC held at the last report that could tell, nano-USD", ["chain"]),
  reservesSurplus: gauge("reserves_surplus_nano_usd", "Held less owed at the last report that could tell, nano-USD; below 0 payouts stop"),
  reservesUnknown: gauge("reserves_unknown", "1 while the last report could not tell what is held"),
  reservesReportedAt: gauge("reserves_reported_timestamp_seconds", "When the last report was made; time() less it is the report's age"),
});

const processMetrics = ({ counter, histogram }: Declare) => ({
  eventLoopDelaySeconds: histogram("event_loop_delay_seconds", "How late a timer of the main thread ran, four times a second"),
  heartbeatRestarts: counter("heartbeat_restarts_total", "Threads of the heartbeat that ended or hung, and were replaced"),
  pausedStreams: counter(
    "paused_streams_total",
    "Streams that waited since others may have taken this process for dead: resumed, cut (the hold was gone), left (the client went away)",
    ["outcome"],
  ),
});

const jobMetrics = ({ gauge, histogram }: Declare) => ({
  auditEntries: gauge("audit_entries", "Entries of the audit log that the last check found in its chain"),
  jobSeconds: histogram("job_seconds", "Seconds of a background job's run", ["job", "outcome"]),
});

function createMetrics() {
  const registry = new Registry();
  const kit = declare(registry);
  return {
    registry,
    ...processMetrics(kit),
    ...requestMetrics(kit),
    ...providerMetrics(kit),
    ...moneyMetrics(kit),
    ...walletMetrics(kit),
    ...reserveMetrics(kit),
    ...paymentMetrics(kit),
    ...relayMetrics(kit),
    ...jobMetrics(kit),
  };
}

/** All metrics of this process. */
export const metrics = processSingleton("metrics", createMetrics);
