import Link from "next/link";
import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { Button } from "../../ui/button";
import { cureOfPayment, mayPayAgain } from "./pay/payment-cures";
import type { RunProblem, SignedPayment } from "./run";

interface RunProblemNoticeProps {
  problem: RunProblem;
  /** What the run was paid with; null for the balance. */
  payment: SignedPayment | null;
  onLower: (tokens: number) => void;
  onAgain: () => void;
  onAllow: () => void;
}

/** What went wrong, whether it cost anything, and what to do. */
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

function NextSteps({ problem, payment, onLower, onAgain, onAllow }: RunProblemNoticeProps): ReactNode {
  const { code, reason, affordableMaxTokens } = problem;
  if (payment && mayPayAgain(problem)) {
    return (
      <Button size="small" onClick={onAgain}>
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
      <Button size="small" onClick={onAllow}>
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
  if (reason === "stale_page" || reason === "foreign_origin") {
    return (
      <Button size="small" onClick={() => window.location.reload()}>
        Reload page
      </Button>
    );
  }
  if (code !== "INSUFFICIENT_BALANCE") return null;
  return (
    <>
      {affordableMaxTokens ? (
        <Button size="small" onClick={() => onLower(affordableMaxTokens)}>
          Lower max tokens to {countText(affordableMaxTokens)}
        </Button>
      ) : null}
      <Button size="small" asChild>
        <Link href="/deposit">Deposit</Link>
      </Button>
    </>
  );
}

const cures: Record<string, string> = {
  INVALID_REQUEST: "Fix that field and run it again. Nothing was charged.",
  INVALID_MODEL: "Choose another model. Nothing was charged.",
  INVALID_API_KEY: "Contact the operator. Nothing was charged.",
  KEY_NOT_ALLOWED: "Contact the operator. Nothing was charged.",
  SPEND_CAP_REACHED: "Confirm with your wallet to go on for 15 minutes without a limit. Nothing was charged.",
  INTERNAL_ERROR: "Run it again, or try another model.",
  SERVICE_BUSY: "The service is busy. Run it again in a moment. Nothing was charged.",
  SHUTTING_DOWN: "The service is restarting. Run it again in a moment. Nothing was charged.",
  signed_out: "Connect your wallet to go on. Your draft is kept, and nothing was charged.",
  stale_page: "You signed in again since this page opened. Reload it; your draft is kept. Nothing was charged.",
  foreign_origin: "Open this page at its original address. Nothing was charged.",
  unavailable: "Run it again in a minute. Nothing was charged.",
  unreadable: "No answer arrived. Run it again in a minute. Check Usage to see if you were charged.",
  unreachable: "No answer arrived. Check your connection and run it again. Check Usage to see if you were charged.",
  broke_off: "Check your connection. You pay only for the part you received. See the exact cost in Usage.",
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
