import Link from "next/link";
import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { Button } from "../../ui/button";
import { BalanceSteps } from "./hold-line";
import type { RunProblem, SignedPayment } from "./run";

interface RunProblemNoticeProps {
  problem: RunProblem;
  /** The payment for the run; null when the balance paid. */
  payment: SignedPayment | null;
  /** A run may be started now. */
  mayAsk?: boolean;
  onLower: (tokens: number) => void;
  onAgain: () => void;
  onAllow: () => void;
}

/** By `details.reason` of PAYMENT_VERIFICATION_FAILED. */
const reasons: Readonly<Record<string, string>> = {
  malformed: "Sign it again.",
  bad_signature: "The signature does not match this wallet. Sign it again. A contract wallet must be deployed on Base.",
  expired: "The signature expired after five minutes. Sign it again.",
  replayed: "This payment was already used for another request. Sign a new one.",
  amount_too_low: "The prompt may cost more than you signed for. Sign it again.",
  network_unsupported: "Pay from a wallet on Base.",
  payer_mismatch: "This wallet belongs to another account. Use one of yours, or one that is not linked to any account.",
  allowance_too_low: "Approve more USDC for payments. Then sign again.",
  wallet_balance_too_low: "Add USDC to the wallet, or use another one. Then sign again.",
  settlement_failed: "Base rejected the payment. Check the wallet’s USDC and its allowance. Then sign again.",
};

/** Refused before the payment was read, so none of it is used up and nothing is pending. */
const refusedBefore = new Set(["signed_out", "stale_page", "foreign_origin", "INVALID_REQUEST", "INVALID_MODEL", "INVALID_API_KEY"]);

/** The problem of a run, its cost if any, and what to do. */
export function RunProblemNotice({ problem, payment, ...steps }: RunProblemNoticeProps) {
  return (
    <div role="alert" className="mt-4 rounded border border-red/50 p-4 text-sm">
      <p className="font-medium text-red">{problem.message}</p>
      <p className="mt-1 text-muted">
        {payment ? cureOfPayment(problem, cureOf) : cureOf(problem)}
        {problem.cost === null ? null : (
          <>
            {" "}
            You were charged for the part you received: <Amount nano={problem.cost} />.
          </>
        )}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <NextSteps problem={problem} payment={payment} {...steps} />
        {problem.code ? (
          <Link href={`/docs/errors/${problem.code}`} className="text-xs text-muted underline underline-offset-2 hover:text-ink">
            {problem.code}
          </Link>
        ) : null}
      </div>
    </div>
  );
}

function NextSteps({ problem, payment, mayAsk = true, onLower, onAgain, onAllow }: RunProblemNoticeProps): ReactNode {
  const { code, reason, affordableMaxTokens } = problem;
  if (payment && mayPayAgain(problem)) {
    return (
      <Button size="small" disabled={!mayAsk} onClick={onAgain}>
        Send again
      </Button>
    );
  }
  if (reason === "allowance_too_low") {
    return (
      <Button size="small" asChild>
        <Link href="/payments">Approve USDC</Link>
      </Button>
    );
  }
  if (code === "SPEND_CAP_REACHED") {
    return (
      <Button size="small" disabled={!mayAsk} onClick={onAllow}>
        Confirm with your wallet
      </Button>
    );
  }
  if (reason === "signed_out") {
    return (
      <Button size="small" asChild>
        <Link href="/connect?next=/playground">Connect wallet</Link>
      </Button>
    );
  }
  if (reason === "stale_page") {
    return (
      <Button size="small" onClick={() => window.location.reload()}>
        Reload page
      </Button>
    );
  }
  return code === "INSUFFICIENT_BALANCE" ? <BalanceSteps affordableMaxTokens={affordableMaxTokens ?? 0} onLower={onLower} /> : null;
}

const cures: Record<string, string> = {
  INVALID_REQUEST: "Correct that, then retry. Nothing was charged.",
  INVALID_MODEL: "Choose another model. Nothing was charged.",
  INVALID_API_KEY: "Contact the operator. Nothing was charged.",
  KEY_NOT_ALLOWED: "Contact the operator. Nothing was charged.",
  SPEND_CAP_REACHED: "Confirm with your wallet to go on for 15 minutes without a daily limit. Nothing was charged.",
  INTERNAL_ERROR: "Run it again, or try another model.",
  SERVICE_BUSY: "The service is busy. Run it again in a moment. Nothing was charged.",
  PROVIDER_BUSY: "Run it again in a moment, or try another model.",
  SHUTTING_DOWN: "The service is restarting. Run it again in a moment. Nothing was charged.",
  signed_out: "Connect your wallet to go on. Your message is kept. Nothing was charged.",
  stale_page: "You signed in again since this page opened. Reload it; your message is kept. Nothing was charged.",
  foreign_origin: "Open this page at its original address. Nothing was charged.",
  unavailable: "Run it again in a minute. Nothing was charged.",
  unreadable: "No answer arrived. Run it again in a minute. Check Usage to see if you were charged.",
  unreachable: "No answer arrived. Check your connection and run it again. Check Usage to see if you were charged.",
  broke_off: "Check your connection. The run counts as stopped. See the exact cost in Usage.",
};

function cureOf({ code, reason, message, deficit, retryAfterMs, cost }: RunProblem): string {
  if (code === "INSUFFICIENT_BALANCE")
    return deficit === null ? "Make a deposit. Nothing was charged." : "Make a deposit, or lower max tokens. Nothing was charged.";
  if (code === "RATE_LIMIT_EXCEEDED") {
    const wait = Math.max(1, Math.ceil((retryAfterMs ?? 1_000) / 1_000));
    return `Wait ${wait} s and run it again. Nothing was charged.`;
  }
  const cure = cures[code ?? reason] ?? "Run it again.";
  return code === "INTERNAL_ERROR" && cost === null && !/nothing was charged/i.test(message) ? `${cure} Nothing was charged.` : cure;
}

const nameOf = ({ code, reason }: RunProblem): string => code ?? reason;

/** The same payment with the same prompt pays only once, and may already have been taken. */
const mayPayAgain = (problem: RunProblem): boolean =>
  nameOf(problem) !== "PAYMENT_VERIFICATION_FAILED" && !refusedBefore.has(nameOf(problem)) && problem.cost === null;

/** `otherwise` returns the advice for problems unrelated to the payment. */
function cureOfPayment(problem: RunProblem, otherwise: (problem: RunProblem) => string): string {
  const name = nameOf(problem);
  if (name === "PAYMENT_VERIFICATION_FAILED") return `${reasons[problem.reason] ?? "Sign it again."} Nothing was taken from the wallet.`;
  if (name === "SETTLEMENT_PENDING") return "Send it again in a moment. You never pay twice.";
  if (!mayPayAgain(problem)) return otherwise(problem);
  return "Send it again. You never pay twice. If the payment went through without an answer, the money is still yours: see Pay per request.";
}
