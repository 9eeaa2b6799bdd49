// The schedule: all jobs, the processes that run them, and how often. Each job's code is in the folder that owns it.

import { deleteExpiredChallenges } from "@/lib/access/challenges";
import { deleteOldFailures } from "@/lib/access/failures/list-failed";
import { writeFailedRequests } from "@/lib/access/failures/record-failed";
import { writeKeyUses } from "@/lib/access/key-cache";
import { endExpiredSessions } from "@/lib/access/sessions";
import { deleteOldSignUps } from "@/lib/access/sign-ups";
import { chainEntries } from "@/lib/audit/chain";
import { erasePersonal } from "@/lib/audit/erase";
import { HOUR_MS, now } from "@/lib/base/clock";
import { eraseClosedAccounts } from "@/lib/console/erase-closed";
import { unlinkLeft } from "@/lib/console/sign-in/link-wallet";
import { deliverEvents, endDelivery } from "@/lib/events/delivery/serve";
import { deleteEndedEndpoints } from "@/lib/events/endpoints";
import { deleteOldConfirmations } from "@/lib/events/mail/confirmations";
import { deleteOldEvents, numberEvents } from "@/lib/events/outbox";
import { commit } from "@/lib/gateway/prompt/commit";
import { deleteExpiredReplies, freePaymentKeys } from "@/lib/gateway/prompt/idempotency";
import { loadOverruns } from "@/lib/gateway/prompt/quote";
import { watchSpikes } from "@/lib/gateway/spikes/watch-spikes";
import { announceModels, deleteOldModelUses } from "@/lib/ledger/announced/announce-models";
import { expireHolds, expireOwnHolds } from "@/lib/ledger/expire-holds";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { deleteOldSums } from "@/lib/ledger/spend-sums";
import { deleteVoidPayments } from "@/lib/payments/claims/claim-steps";
import { settlePayments } from "@/lib/payments/followup/run";
import { deleteOldFailedTransactions } from "@/lib/payments/settlement/failed-fee-limit";
import { runRelay } from "@/lib/relay/run";
import { fillAddressPool } from "@/lib/wallets/custody/address-pool";
import { openTreasuryAccount } from "@/lib/wallets/custody/treasury-account";
import { collectDebts } from "@/lib/wallets/deposits/collect-debts";
import { measureDeposits } from "@/lib/wallets/deposits/deposit";
import { watchBase, watchSolana } from "@/lib/wallets/deposits/watch";
import { reportReserves } from "@/lib/wallets/reserves/check-reserves";
import { runSweeps } from "@/lib/wallets/sweeps/run";
import { payWithdrawals } from "@/lib/wallets/withdrawals/pay-withdrawals";
import { checkBooks } from "./check-books";
import type { Job } from "./scheduler";

/** Jobs of a process that answers requests: they write or refresh its in-memory state. */
export const webJobs: readonly Job[] = [
  { name: "write-key-uses", pauseMs: 10_000, run: writeKeyUses },
  { name: "write-failed-requests", pauseMs: 1_000, run: writeFailedRequests },
  { name: "expire-own-holds", pauseMs: 5_000, run: () => expireOwnHolds(commit()) },
  { name: "load-overruns", pauseMs: 10_000, run: loadOverruns },
  // Here, since prices are those of the processes that sell at them.
  { name: "announce-models", pauseMs: 60_000, run: () => announceModels() },
];

/** Jobs that work on the database only, for processes with the `jobs` role. */
export const databaseJobs: readonly Job[] = [
  { name: "number-events", pauseMs: 500, run: numberEvents },
  { name: "deliver-events", pauseMs: 250, run: deliverEvents, end: endDelivery },
  { name: "delete-old-events", pauseMs: 600_000, run: deleteOldEvents },
  { name: "delete-ended-endpoints", pauseMs: 600_000, run: deleteEndedEndpoints },
  { name: "chain-audit", pauseMs: 1_000, run: chainEntries },
  { name: "erase-audit-personal", pauseMs: HOUR_MS, run: erasePersonal },
  { name: "delete-old-confirmations", pauseMs: HOUR_MS, run: deleteOldConfirmations },
  { name: "expire-holds", pauseMs: 5_000, run: () => expireHolds(commit()) },
  { name: "collect-debts", pauseMs: 1_000, run: collectDebts },
  { name: "fill-address-pool", pauseMs: 5_000, run: () => fillAddressPool() },
  // Twice per block of Base, or once per block of a sandbox. A round that is far behind reads everything up to the head.
  { name: "watch-base", pauseMs: 1_000, mostRunMs: 1_800_000, ...watchBase },
  // Each round polls every address: with many addresses or a slow node it takes half of the time.
  { name: "watch-solana", pauseMs: 1_000, restFactor: 1, mostRunMs: 1_800_000, ...watchSolana },
  { name: "measure-deposits", pauseMs: 60_000, restFactor: 50, run: measureDeposits },
  { name: "open-treasury-account", pauseMs: 2_000, run: openTreasuryAccount },
  { name: "sweep", pauseMs: 10_000, restFactor: 5, run: () => runSweeps() },
  { name: "pay-withdrawals", pauseMs: 1_000, run: payWithdrawals },
  { name: "settle-payments", pauseMs: 1_000, ...settlePayments },
  { name: "delete-failed-transactions", pauseMs: 600_000, run: deleteOldFailedTransactions },
  { name: "relay", pauseMs: 1_000, run: () => runRelay() },
  // It reads every address that was ever paid: with many of them it takes a tenth of the time.
  { name: "report-reserves", pauseMs: 30_000, restFactor: 10, mostRunMs: 1_800_000, run: reportReserves },
  { name: "watch-spikes", pauseMs: 3_000, run: watchSpikes },
  { name: "delete-old-sums", pauseMs: 600_000, run: deleteOldSums },
  { name: "delete-old-model-uses", pauseMs: 600_000, run: deleteOldModelUses },
  { name: "roll-up-revenue", pauseMs: 10_000, run: rollUpRevenue },
  { name: "delete-old-failures", pauseMs: 600_000, run: deleteOldFailures },
  { name: "delete-expired-challenges", pauseMs: 60_000, run: () => deleteExpiredChallenges(now()) },
  { name: "unlink-left-wallets", pauseMs: 10_000, run: unlinkLeft },
  { name: "delete-old-sign-ups", pauseMs: 600_000, run: deleteOldSignUps },
  { name: "erase-closed-accounts", pauseMs: 600_000, run: eraseClosedAccounts },
  { name: "end-expired-sessions", pauseMs: 600_000, run: () => endExpiredSessions(now()) },
  { name: "delete-expired-replies", pauseMs: 60_000, run: () => deleteExpiredReplies(now()) },
  { name: "free-payment-keys", pauseMs: 30_000, run: () => freePaymentKeys(now()) },
  { name: "delete-void-payments", pauseMs: 60_000, run: deleteVoidPayments },
  // It reads all the books, so large ones are checked less often, to limit the load.
  { name: "check-ledger", pauseMs: 60_000, restFactor: 50, mostRunMs: 1_800_000, run: () => checkBooks() },
];
