import type { ReactNode } from "react";
import { Amount } from "@/components/ui/text/amount";
import { durationText } from "@/lib/base/text/duration-text";
import type { NamedWallet } from "@/lib/console/views/wallet";
import type { OwnRulesDraft, OwnRulesView, RulesInForce } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { LocalTime } from "../../ui/text/local-time";
import { ShortAddress } from "../../ui/text/short-address";

interface ComparedRulesProps {
  rules: OwnRulesView;
  inForce: RulesInForce;
  busy: boolean;
  disabled: boolean;
  /** Saves the rules in force as the rules to come. */
  onCancel: () => void;
}

/** Looser rules wait for a day: what applies now, beside what will. */
export const ComparedRules = ({ rules, inForce, busy, disabled, onCancel }: ComparedRulesProps) => (
  <section aria-label="Pending change" className="grid max-w-[720px] gap-4 rounded border border-line bg-panel p-4">
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      <Rules title="In force now" {...inForce} />
      <Rules
        title={
          <>
            From <LocalTime at={inForce.until} shape="short" />
          </>
        }
        {...rules}
        destinations={rules.destinations.length === 0 ? null : rules.destinations}
      />
    </div>
    {isCancellable(inForce) ? (
      <Button size="small" className="justify-self-start" busy={busy} disabled={disabled} onClick={onCancel}>
        Cancel change
      </Button>
    ) : null}
  </section>
);

/** Keeping the rules in force allows nothing new. Where no wallet is allowed for now, an empty list would allow every one. */
const isCancellable = ({ destinations }: RulesInForce): boolean => destinations === null || destinations.length > 0;

export const draftOfInForce = (inForce: RulesInForce, draftOf: (rules: Omit<OwnRulesView, "inForce" | "waits">) => OwnRulesDraft) =>
  draftOf({ ...inForce, destinations: inForce.destinations ?? [] });

interface RulesProps {
  title: ReactNode;
  dailyLimit: bigint | null;
  waitSeconds: number;
  destinations: readonly NamedWallet[] | null;
}

const Rules = ({ title, dailyLimit, waitSeconds, destinations }: RulesProps) => (
  <div>
    <h3 className="mb-2 text-sm font-medium">{title}</h3>
    <dl className="grid gap-2 text-sm">
      <Rule name="24-hour limit">{dailyLimit === null ? "No limit" : <Amount nano={dailyLimit} />}</Rule>
      <Rule name="Waiting time">{waitSeconds === 0 ? "None" : durationText(waitSeconds)}</Rule>
      <Rule name="Allowed wallets">
        {destinations === null
          ? "Any linked wallet"
          : destinations.length === 0
            ? "None until then"
            : destinations.map(({ address }) => <ShortAddress key={address} value={address} what="address" />)}
      </Rule>
    </dl>
  </div>
);

const Rule = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-[8rem_minmax(0,1fr)] items-baseline gap-x-4">
    <dt className="text-muted">{name}</dt>
    <dd>{children}</dd>
  </div>
);
