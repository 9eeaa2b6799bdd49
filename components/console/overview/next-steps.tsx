import { CheckIcon } from "lucide-react";
import type { Overview } from "@/lib/console/views/overview";
import { ActionLink } from "../../ui/action-link";

interface NextStepsProps {
  steps: Overview["steps"];
  isSandbox: boolean;
}

interface Step {
  title: string;
  text: string;
  done: boolean;
  href: string;
  action: string;
}

/** A new account's first steps, until all are done: the main button is the next one's. */
export function NextSteps({ steps: { isFunded, hasKey, hasCalled, hasAlert }, isSandbox }: NextStepsProps) {
  if (isFunded && hasKey && hasCalled && hasAlert) return null;
  const steps: Step[] = [
    {
      title: "Deposit",
      text: isSandbox ? "Get 5 test USDC with one click." : "Send USDC on Base or Solana to your deposit address.",
      done: isFunded,
      href: "/deposit",
      action: "Deposit",
    },
    {
      title: "Create a key",
      text: "Use one per app. You can set a spending limit.",
      done: hasKey,
      href: "/keys?create",
      action: "Create key",
    },
    {
      title: "Make your first call",
      text: "Run your key’s snippet, or try a prompt in the playground.",
      done: hasCalled,
      href: "/playground",
      action: "Open playground",
    },
    {
      title: "Set up an alert",
      text: "Get notified before your balance runs out.",
      done: hasAlert,
      href: "/alerts",
      action: "Set up alerts",
    },
  ];
  const next = steps.findIndex(({ done }) => !done);
  return (
    <section aria-label="Get started" className="mb-8 rounded border border-line bg-panel px-5 py-4">
      <h2 className="text-sm font-medium">
        Get started{" "}
        <span className="ml-1 font-normal text-muted">
          {steps.filter(({ done }) => done).length} of {steps.length} done
        </span>
      </h2>
      <ol className="mt-4 grid gap-x-8 gap-y-5 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map((step, index) => (
          <StepLine key={step.title} step={step} number={index + 1} isNext={index === next} />
        ))}
      </ol>
    </section>
  );
}

const StepLine = ({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) => (
  <li className="flex gap-3">
    <span
      aria-hidden="true"
      className={`mt-px grid size-5 shrink-0 place-items-center rounded-full border text-xs ${step.done ? "border-green text-green" : isNext ? "border-copper text-copper-ink" : "border-edge text-muted"}`}
    >
      {step.done ? <CheckIcon className="size-3" strokeWidth={2.4} /> : number}
    </span>
    <div className="min-w-0">
      <p className={`text-sm ${step.done ? "text-muted" : "font-medium"}`}>{step.title}</p>
      <p className="mt-0.5 text-sm text-muted">{step.done ? "Done" : step.text}</p>
      {step.done ? null : (
        <div className="mt-3">
          <ActionLink primary={isNext} href={step.href}>
            {step.action}
          </ActionLink>
        </div>
      )}
    </div>
  </li>
);
