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

/** A new user's first three steps, ticked as they are done, hidden once all are. */
export function NextSteps({ steps: { isFunded, hasKey, hasCalled }, isSandbox }: NextStepsProps) {
  if (isFunded && hasKey && hasCalled) return null;
  const steps: Step[] = [
    {
      title: "Add funds",
      text: isSandbox ? "Simulated USD: worth nothing, spent like real money." : "Send USDC on Base or Solana to your own address.",
      done: isFunded,
      href: "/deposit",
      action: "Add funds",
    },
    { title: "Make a key", text: "With a cap, if you like. It is shown once.", done: hasKey, href: "/keys", action: "Make a key" },
    {
      title: "Call a model",
      text: "With one curl line, or in the playground without a key.",
      done: hasCalled,
      href: "/playground",
      action: "Try a prompt",
    },
  ];
  const next = steps.findIndex(({ done }) => !done);
  return (
    <section aria-label="What to do next" className="mb-8 rounded border border-line bg-panel px-5 py-4">
      <h2 className="text-sm font-medium">
        What to do next <span className="ml-1 font-normal text-muted">{steps.filter(({ done }) => done).length} of 3 done</span>
      </h2>
      <ol className="mt-4 grid gap-x-8 gap-y-5 md:grid-cols-3">
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
      <p className={`text-sm ${step.done ? "text-muted" : "font-medium"}`}>
        {step.title}
        {step.done ? <span className="sr-only"> (done)</span> : null}
      </p>
      <p className="mt-0.5 text-sm text-muted">{step.text}</p>
      {isNext ? (
        <div className="mt-3">
          <ActionLink primary href={step.href}>
            {step.action}
          </ActionLink>
        </div>
      ) : null}
    </div>
  </li>
);
