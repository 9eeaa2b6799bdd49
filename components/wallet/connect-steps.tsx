"use client";

import { useEffect, useRef } from "react";
import { shortAddress } from "@/components/ui/text/short-address";
import { Button } from "../ui/button";
import { Problem } from "../ui/problem";
import { useFocusOnStep } from "../ui/use-focus-on-step";
import { EvmMark, SolanaMark } from "./chain-marks";
import { useEvmWallet } from "./use-evm-wallet";
import { type ProofState, type ProofSteps, useProof } from "./use-proof";
import { useSolanaWallet } from "./use-solana-wallet";
import type { WalletHandle } from "./wallet-handle";

interface ConnectStepsProps extends ProofSteps {
  /** The purpose of the signature, as the button's label: "Sign in". */
  action: string;
}

/** Choose a wallet, then sign with it. */
export function ConnectSteps({ action, requestChallenge, submit }: ConnectStepsProps) {
  const evm = useEvmWallet();
  const solana = useSolanaWallet();
  const { state, prove, reset } = useProof({ requestChallenge, submit });
  // The wallet chosen last; otherwise a wallet that still lets this page see its address.
  const connected = [evm, solana].filter(({ wallet }) => wallet);
  const current = connected.find(({ chosen }) => chosen > 0) ?? connected[0];

  const lastChoice = useRef("");
  useEffect(() => {
    if (!current?.wallet || current.chosen === 0 || state.step !== "ready") return;
    // Once for each choice: after declining, a person is asked again only on request.
    const choice = `${current.wallet.chain} ${current.wallet.address} ${current.chosen}`;
    if (lastChoice.current === choice) return;
    lastChoice.current = choice;
    void prove(current);
  }, [current, state.step, prove]);

  const step = current?.wallet ? "sign" : "choose";
  const part = useFocusOnStep(step);
  const another = async () => {
    reset();
    await Promise.all(connected.map((handle) => handle.forget()));
  };
  return (
    <section ref={part} tabIndex={-1} aria-label={step === "sign" ? "Sign with your wallet" : "Choose a wallet"} className="outline-none">
      {current?.wallet ? (
        <SignStep handle={current} state={state} action={action} onSign={() => void prove(current)} onAnother={() => void another()} />
      ) : (
        <WalletChoices evm={evm} solana={solana} />
      )}
    </section>
  );
}

/** The two kinds of wallet, each opening its list. */
export function WalletChoices({ evm, solana }: { evm: WalletHandle; solana: WalletHandle }) {
  const choices = [
    { handle: evm, Mark: EvmMark, title: "Ethereum wallet", text: "MetaMask, Rabby, Coinbase Wallet and others" },
    { handle: solana, Mark: SolanaMark, title: "Solana wallet", text: "Phantom, Solflare, Backpack and others" },
  ];
  return (
    <ul className="grid gap-3">
      {choices.map(({ handle, Mark, title, text }) => (
        <li key={title}>
          <button
            type="button"
            onClick={handle.choose}
            disabled={handle.isConnecting}
            className="flex w-full items-center gap-4 rounded border border-edge p-4 text-left transition hover:bg-panel disabled:opacity-60"
          >
            <Mark />
            <span className="min-w-0">
              <span className="block font-medium">{title}</span>
              <span className="block text-sm text-muted">{handle.isConnecting ? "Approve the connection in your wallet." : text}</span>
            </span>
          </button>
          {handle.problem ? <Problem className="mt-2">{handle.problem}</Problem> : null}
        </li>
      ))}
    </ul>
  );
}

interface SignStepProps {
  handle: WalletHandle;
  state: ProofState;
  action: string;
  onSign: () => void;
  onAnother: () => void;
}

const waits: Partial<Record<ProofState["step"], string>> = {
  asking: "Preparing the message…",
  signing: "Sign the message in your wallet.",
  checking: "Checking the signature…",
  done: "Signed in. One moment…",
};

function SignStep({ handle: { wallet }, state, action, onSign, onAnother }: SignStepProps) {
  if (!wallet) return null;
  const Mark = wallet.chain === "evm" ? EvmMark : SolanaMark;
  const wait = waits[state.step];
  return (
    <div className="rounded border border-edge p-5">
      <div className="flex items-center gap-4">
        <Mark />
        <div className="min-w-0">
          <p className="font-mono text-sm" title={wallet.address}>
            {shortAddress(wallet.address)}
          </p>
          <p className="text-sm text-muted">in {wallet.name}</p>
        </div>
      </div>
      <p className="mt-4 text-sm text-muted">Sign a message to prove that this wallet is yours. It is free and moves no money.</p>
      <div aria-live="polite" className="min-h-6 pt-2 text-sm">
        {state.step === "failed" ? <p className="text-red">{state.message}</p> : wait ? <p>{wait}</p> : null}
      </div>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button look="primary" busy={wait !== undefined} onClick={onSign}>
          {state.step === "failed" ? "Try again" : action}
        </Button>
        <Button look="quiet" disabled={state.step === "checking" || state.step === "done"} onClick={onAnother}>
          Use another wallet
        </Button>
      </div>
    </div>
  );
}
