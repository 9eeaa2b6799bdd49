"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { usdText } from "@/lib/base/money";
import { durationText } from "@/lib/base/text/duration-text";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { OwnRulesDraft, OwnRulesView } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { DollarInput, Field, SelectField } from "../../ui/field";
import { Problem } from "../../ui/problem";
import { hasTooLong, useWrongField } from "../../ui/wrong-field";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { useAction } from "../use-action";
import { AllowedWallets } from "./allowed-wallets";
import { ComparedRules, draftOfInForce } from "./rules-in-force";

interface OwnRulesProps {
  rules: OwnRulesView;
  wallets: readonly OwnWallet[];
  save: (draft: OwnRulesDraft, proof?: SignedChallenge) => Promise<Answer>;
  disabled: boolean;
}

/** The owner's rules for their own withdrawals: how much, how soon, and where to. */
export function OwnRules({ rules, wallets, save, disabled }: OwnRulesProps) {
  const [draft, setDraft] = useState<OwnRulesDraft>(() => draftOf(rules));
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { busy, run } = useAction();
  const change = (part: Partial<OwnRulesDraft>) => {
    setDraft({ ...draft, ...part });
    setRefused(null);
  };
  const form = useWrongField(refused);
  const store = async (wanted: OwnRulesDraft, done: string) => {
    const answer = await run((proof) => save(wanted, proof));
    setRefused(answer.ok ? null : answer);
    if (answer.ok) toast.success(done);
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!hasTooLong(event.currentTarget)) void store(draft, "Saved. Stricter limits apply now; looser ones in 24 hours.");
  };
  const { inForce } = rules;
  return (
    <form ref={form} onSubmit={send} noValidate className="grid gap-5 [&>*:not(section)]:max-w-[480px]">
      {inForce ? (
        <ComparedRules
          rules={rules}
          inForce={inForce}
          busy={busy}
          disabled={disabled}
          onCancel={() => void store(draftOfInForce(inForce, draftOf), "Change cancelled. Your current rules stay in force.")}
        />
      ) : null}
      <Field
        label="24-hour limit"
        hint="For all withdrawals requested within 24 hours, without fees. Leave empty for no limit of your own."
        error={refused?.field === "dailyLimit" ? refused.message : null}
        limit={{ of: textLimits.amount, text: draft.dailyLimit }}
      >
        {(control) => (
          <DollarInput
            {...control}
            placeholder="No limit"
            value={draft.dailyLimit}
            disabled={disabled}
            onChange={({ target }) => change({ dailyLimit: target.value })}
          />
        )}
      </Field>
      <SelectField
        label="Waiting time"
        hint="Your alert destinations are notified of each withdrawal. You can cancel it until this time is over."
        value={draft.waitSeconds}
        disabled={disabled}
        onChange={(seconds) => change({ waitSeconds: Number(seconds) })}
      >
        {rules.waits.map((seconds) => (
          <option key={seconds} value={seconds}>
            {seconds === 0 ? "No waiting time" : `Pay after ${durationText(seconds)}`}
          </option>
        ))}
      </SelectField>
      <AllowedWallets
        wallets={wallets}
        disabled={disabled}
        stored={rules.destinations}
        chosen={draft.destinations}
        onChange={(destinations) => change({ destinations })}
        error={refused?.field === "destinations" ? refused.message : null}
      />
      {refused && refused.field !== "dailyLimit" && refused.field !== "destinations" ? <Problem>{refused.message}</Problem> : null}
      <Button type="submit" busy={busy} disabled={disabled} className="justify-self-start">
        Save rules
      </Button>
    </form>
  );
}

const draftOf = ({ dailyLimit, waitSeconds, destinations }: Omit<OwnRulesView, "inForce" | "waits">): OwnRulesDraft => ({
  waitSeconds,
  destinations,
  dailyLimit: dailyLimit === null ? "" : usdText(dailyLimit),
});
