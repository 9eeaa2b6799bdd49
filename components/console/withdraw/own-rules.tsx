"use client";

import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { usdText } from "@/lib/base/money";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { OwnRulesDraft, OwnRulesView } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { DollarInput, Field, SelectField } from "../../ui/field";
import { Problem } from "../../ui/problem";
import { LocalTime } from "../../ui/text/local-time";
import { hoursText } from "../../ui/text/time-text";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { useAction } from "../use-action";
import { AllowedWallets } from "./allowed-wallets";

interface OwnRulesProps {
  rules: OwnRulesView;
  wallets: readonly OwnWallet[];
  save: (draft: OwnRulesDraft, proof?: SignedChallenge) => Promise<Answer>;
  disabled: boolean;
}

/** What the owner decides on their own withdrawals: how much, how soon, and where to. */
export function OwnRules({ rules, wallets, save, disabled }: OwnRulesProps) {
  const [draft, setDraft] = useState<OwnRulesDraft>(() => draftOf(rules));
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { busy, run } = useAction();
  const change = (part: Partial<OwnRulesDraft>) => {
    setDraft({ ...draft, ...part });
    setRefused(null);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await run((proof) => save(draft, proof));
    setRefused(answer.ok ? null : answer);
    if (answer.ok) toast.success("Saved. Stricter rules hold now, looser ones in 24 hours.");
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate className="grid max-w-[480px] gap-5">
      {rules.heldUntil ? (
        <p className="rounded border border-line bg-panel p-3 text-sm text-amber-ink">
          Until <LocalTime at={rules.heldUntil} shape="short" /> your earlier, stricter rules hold as well.
        </p>
      ) : null}
      <Field
        label="Most in 24 hours"
        hint="All withdrawals together. Leave empty for no limit of your own."
        error={refused?.field === "dailyLimit" ? refused.message : null}
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
        hint="You hear of each withdrawal when it is ordered, and can cancel it until it is paid."
        value={draft.waitSeconds}
        disabled={disabled}
        onChange={(seconds) => change({ waitSeconds: Number(seconds) })}
      >
        {rules.waits.map((seconds) => (
          <option key={seconds} value={seconds}>
            {seconds === 0 ? "Paid at once" : `Paid after ${hoursText(seconds)}`}
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

const draftOf = ({ dailyLimit, waitSeconds, destinations }: OwnRulesView): OwnRulesDraft => ({
  waitSeconds,
  destinations,
  dailyLimit: dailyLimit === null ? "" : usdText(dailyLimit),
});
