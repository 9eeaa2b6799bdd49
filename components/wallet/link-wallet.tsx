"use client";

import { useEffect, useState } from "react";
import { shortAddress } from "@/components/ui/text/short-address";
import type { NamedWallet, WalletAccess } from "@/lib/console/views/wallet";
import { Button } from "../ui/button";
import { Field, Select } from "../ui/field";
import { Problem } from "../ui/problem";
import { useFocusOnStep } from "../ui/use-focus-on-step";
import { WalletChoices } from "./connect-steps";
import { startLinking } from "./linking";
import { useEvmWallet } from "./use-evm-wallet";
import type { LinkActions } from "./use-link";
import { useLink } from "./use-link";
import { useSolanaWallet } from "./use-solana-wallet";
import type { WalletHandle } from "./wallet-handle";
import { WalletProviders } from "./wallet-providers";
import { isSameWallet } from "./wallet-types";

interface LinkWalletProps extends LinkActions {
  /** The account's wallets; one of them approves the new one. */
  linked: readonly NamedWallet[];
  onLinked: () => void;
}

export interface WalletLinkingProps extends LinkWalletProps {
  access: WalletAccess;
}

/** Linking with the wallet libraries around it: large, so it is loaded on demand. */
export const WalletLinking = ({ access, ...link }: WalletLinkingProps) => (
  <WalletProviders {...access}>
    <LinkWallet {...link} />
  </WalletProviders>
);

/** Links another wallet: it signs, and an already linked wallet signs for it. */
function LinkWallet({ linked, onLinked, startLink, linkWallet }: LinkWalletProps) {
  const handles = { evm: useEvmWallet(), solana: useSolanaWallet() };
  const { state, signJoin, signAllow, restart } = useLink({ startLink, linkWallet, onLinked });
  const [allow, setAllow] = useState(linked[0]);

  useEffect(startLinking, []);
  const step = useFocusOnStep(state.phase);

  if (!allow) return null;
  const isLinked = (wallet: NamedWallet) => linked.some((one) => isSameWallet(one, wallet));
  const fresh = Object.values(handles).find(({ wallet }) => wallet && !isLinked(wallet));

  if (state.phase === "join") {
    return (
      <section ref={step} tabIndex={-1} aria-label="Step 1 of 2" className="grid gap-4 outline-none">
        <Progress step={1} text="The new wallet signs" problem={state.problem} />
        {fresh?.wallet ? (
          <>
            <p className="text-sm">
              New wallet: <span className="font-mono">{shortAddress(fresh.wallet.address)}</span> in {fresh.wallet.name}
            </p>
            <AllowedBy linked={linked} value={allow} onChange={setAllow} />
            <div className="flex flex-wrap gap-3">
              <Button look="primary" busy={state.busy} onClick={() => void signJoin(fresh, allow)}>
                Sign with the new wallet
              </Button>
              <Button look="quiet" disabled={state.busy} onClick={() => void fresh.forget()}>
                Use another wallet
              </Button>
            </div>
          </>
        ) : (
          <ChooseNew handles={handles} />
        )}
      </section>
    );
  }

  const handle = handles[allow.chain];
  const isThere = handle.wallet !== null && isSameWallet(handle.wallet, allow);
  return (
    <section ref={step} tabIndex={-1} aria-label="Step 2 of 2" className="grid gap-4 outline-none">
      <Progress step={2} text="A linked wallet allows it" problem={state.problem} />
      <p className="text-sm">
        {isThere ? "Sign once more, with " : "Select this account in your wallet, or choose the wallet that has it: "}
        <span className="font-mono">{shortAddress(allow.address)}</span>
      </p>
      <div className="flex flex-wrap gap-3">
        {isThere ? (
          <Button look="primary" busy={state.busy} onClick={() => void signAllow(handle)}>
            Sign with the linked wallet
          </Button>
        ) : (
          <Button look="primary" onClick={() => handle.choose()}>
            Choose wallet
          </Button>
        )}
        <Button look="quiet" disabled={state.busy} onClick={restart}>
          Start again
        </Button>
      </div>
    </section>
  );
}

function Progress({ step, text, problem }: { step: 1 | 2; text: string; problem: string | null }) {
  return (
    <div>
      <p className="text-xs text-muted">Step {step} of 2</p>
      <p className="font-medium">{text}</p>
      {problem ? <Problem className="mt-2">{problem}</Problem> : null}
    </div>
  );
}

function ChooseNew({ handles }: { handles: Record<NamedWallet["chain"], WalletHandle> }) {
  const { evm, solana } = handles;
  return (
    <>
      <p className="text-sm text-muted">
        Choose the wallet to add.
        {evm.wallet || solana.wallet ? " The one that is connected now is linked already; you may also switch its account." : ""}
      </p>
      <WalletChoices evm={evm} solana={solana} />
    </>
  );
}

interface AllowedByProps {
  linked: readonly NamedWallet[];
  value: NamedWallet;
  onChange: (wallet: NamedWallet) => void;
}

/** The linked wallet that will sign; no question when there is only one. */
function AllowedBy({ linked, value, onChange }: AllowedByProps) {
  if (linked.length < 2) return null;
  return (
    <Field label="Allowed by">
      {(control) => (
        <Select
          {...control}
          value={value.address}
          onChange={({ target }) => {
            const chosen = linked.find(({ address }) => address === target.value);
            if (chosen) onChange(chosen);
          }}
        >
          {linked.map(({ address }) => (
            <option key={address} value={address}>
              {shortAddress(address)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
