"use client";

import type { FormEvent } from "react";
import { type ChainId, chainIds, chainName } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { Refusal } from "@/lib/console/views/answer";
import type { AllowanceView, Destination, SolanaFees } from "@/lib/console/views/withdraw";
import { Button } from "../../ui/button";
import { DollarInput, Field } from "../../ui/field";
import { Problem } from "../../ui/problem";
import { hasTooLong, useWrongField } from "../../ui/wrong-field";
import { fieldText, rangeText, readSoFar } from "./amounts";
import { DestinationList } from "./destination-list";
import { OrderSum } from "./order-sum";

/** The form's entries: they survive the review and every refusal. */
export interface Draft {
  chain: ChainId;
  destination: string;
  amount: string;
}

interface WithdrawFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  destinations: readonly Destination[];
  allowance: AllowanceView;
  /** The minimum and the maximum that can arrive, nano-USD. */
  least: bigint;
  most: bigint;
  /** Null while the chain does not answer; it is at most `highestFee`. */
  fee: bigint | null;
  highestFee: bigint;
  solanaFees: SolanaFees;
  busy: boolean;
  /** The last refusal. */
  refused: Refusal | null;
  onReview: () => void;
  nowMs: number;
}

/** The destination and the amount. */
export function WithdrawForm(props: WithdrawFormProps) {
  const { draft, onChange, destinations, allowance, least, most, fee, highestFee, solanaFees, busy, refused, onReview, nowMs } = props;
  const { chain, destination, amount } = draft;
  const errorOf = (field: string) => (refused?.field === field ? refused.message : null);
  const choose = (next: ChainId) => onChange({ ...draft, chain: next, destination: firstPayable(destinations, next) });
  const form = useWrongField(refused);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!hasTooLong(event.currentTarget)) onReview();
  };
  return (
    <form ref={form} onSubmit={send} noValidate className="grid gap-5">
      <ChainChoice value={chain} onChange={choose} />
      <DestinationList
        chain={chain}
        destinations={destinations}
        nowMs={nowMs}
        value={destination}
        onChange={(address) => onChange({ ...draft, destination: address })}
        error={errorOf("destination")}
      />
      <Field
        label="Amount you receive"
        error={errorOf("amount")}
        hint={rangeText({ chain, allowance, most, least })}
        limit={{ of: textLimits.amount, text: amount }}
      >
        {(control) => (
          <div className="flex gap-3">
            <DollarInput
              frameClassName="grow"
              {...control}
              placeholder="25.00"
              value={amount}
              onChange={({ target }) => onChange({ ...draft, amount: target.value })}
              className="font-mono"
            />
            <Button disabled={most === 0n} onClick={() => onChange({ ...draft, amount: fieldText(most) })}>
              Max
            </Button>
          </div>
        )}
      </Field>
      <OrderSum amount={readSoFar(amount)} fee={fee} highestFee={highestFee} />
      {chain === "solana" ? <SolanaFee fee={fee} {...solanaFees} /> : null}
      {refused && !refused.field ? <Problem>{refused.message}</Problem> : null}
      <Button type="submit" look="primary" busy={busy} className="justify-self-start max-sm:w-full">
        Review
      </Button>
    </form>
  );
}

/** The reason for the fee: on Solana the first withdrawal to a wallet may open an account for its USDC. */
function SolanaFee({ fee, usual, withAccount }: SolanaFees & { fee: bigint | null }) {
  if (usual === withAccount || fee === usual) return null;
  const opening = `${formatUsd(withAccount)} includes opening a USDC account for this wallet, which Solana charges rent for. You pay it once: after that, withdrawals to this wallet cost ${formatUsd(usual)}.`;
  return (
    <p className="text-xs text-muted">
      {fee === null
        ? `On Solana the fee is ${formatUsd(usual)} if the wallet has a USDC account, and ${formatUsd(withAccount)} if it has none yet. ${opening}`
        : `Why ${formatUsd(fee)}? This wallet has no USDC account on Solana yet. ${opening}`}
    </p>
  );
}

/** The oldest wallet on the chain that can be paid now; "" when there is none. */
export const firstPayable = (destinations: readonly Destination[], chain: ChainId): string =>
  destinations.find((one) => one.chain === chain && one.payableFrom === null && one.isAllowed)?.address ?? "";

/** The chain of the destination. */
const ChainChoice = ({ value, onChange }: { value: ChainId; onChange: (chain: ChainId) => void }) => (
  <fieldset>
    <legend className="mb-1.5 text-sm font-medium">Network</legend>
    <div className="grid grid-cols-2 gap-3">
      {chainIds.map((chain) => (
        <label
          key={chain}
          className="flex h-10 cursor-pointer items-center gap-3 rounded border border-edge px-3 text-sm transition hover:bg-panel has-checked:border-copper has-checked:bg-copper-wash"
        >
          <input type="radio" name="chain" className="accent-copper" checked={chain === value} onChange={() => onChange(chain)} />
          {chainName(chain)}
        </label>
      ))}
    </div>
  </fieldset>
);
