"use client";

import { useState } from "react";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import type { Challenge, SignedChallenge, WalletChain } from "./wallet-types";

export interface NamedWallet {
  chain: WalletChain;
  address: string;
}

type Refused = { ok: false; message: string };

export interface LinkActions {
  /** Asks for the two texts that `join` and `allow` shall sign. */
  startLink: (wallets: { allow: NamedWallet; join: NamedWallet }) => Promise<{ ok: true; allow: Challenge; join: Challenge } | Refused>;
  linkWallet: (signed: { allow: SignedChallenge; join: SignedChallenge }) => Promise<{ ok: true } | Refused>;
}

interface LinkState {
  phase: "join" | "allow";
  busy: boolean;
  problem: string | null;
}

/** What the new wallet signed, and what the linked one is still to sign. */
interface Half {
  join: SignedChallenge;
  allow: Challenge;
}

const start: LinkState = { phase: "join", busy: false, problem: null };

/** Two signatures, one after the other; the second hands both in. */
export function useLink({ startLink, linkWallet, onLinked }: LinkActions & { onLinked: () => void }) {
  const [state, setState] = useState<LinkState>(start);
  const [half, setHalf] = useState<Half | null>(null);

  /** Runs one step; what it returns is the problem, if there is one. */
  const run = async (phase: LinkState["phase"], step: () => Promise<string | null>) => {
    setState({ phase, busy: true, problem: null });
    const problem = await step().catch((error: unknown) => wordsFor(error));
    if (problem !== null) setState({ phase, busy: false, problem });
  };

  const signJoin = ({ wallet, sign }: WalletHandle, allow: NamedWallet) =>
    run("join", async () => {
      if (!wallet) return "Choose a wallet first.";
      const { chain, address } = wallet;
      const started = await startLink({ allow, join: { chain, address } });
      if (!started.ok) return started.message;
      setHalf({ join: await sign(started.join), allow: started.allow });
      setState({ phase: "allow", busy: false, problem: null });
      return null;
    });

  const signAllow = ({ sign }: WalletHandle) =>
    run("allow", async () => {
      if (!half) return "Start again.";
      const outcome = await linkWallet({ join: half.join, allow: await sign(half.allow) });
      if (!outcome.ok) return outcome.message;
      onLinked();
      return null;
    });

  const restart = () => {
    setHalf(null);
    setState(start);
  };
  return { state, signJoin, signAllow, restart };
}
