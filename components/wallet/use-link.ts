"use client";

import { unstable_rethrow } from "next/navigation";
import { useState } from "react";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { NamedWallet, PlainChallenge } from "@/lib/console/views/wallet";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import type { SignedChallenge } from "./wallet-types";

export interface LinkActions {
  /** Requests the two texts for `join` and `allow` to sign. */
  startLink: (wallets: { allow: NamedWallet; join: NamedWallet }) => Promise<Answer<{ allow: PlainChallenge; join: PlainChallenge }>>;
  linkWallet: (signed: { allow: SignedChallenge; join: SignedChallenge }) => Promise<Answer>;
}

interface LinkState {
  phase: "join" | "allow";
  busy: boolean;
  problem: string | null;
}

/** The new wallet's signature, and what the linked wallet still has to sign. */
interface Half {
  join: SignedChallenge;
  /** The new wallet; it is notified when its signature was refused. */
  joining: WalletHandle;
  allow: PlainChallenge;
}

const start: LinkState = { phase: "join", busy: false, problem: null };
const noAnswer = "The service did not answer. Check your connection, then try again.";
const noAnswerToLink = "The service did not answer. Check your connection; the wallet may be linked already: load the page again to see.";

/** Two signatures, one after the other; after the second, both are submitted. */
export function useLink({ startLink, linkWallet, onLinked }: LinkActions & { onLinked: () => void }) {
  const [state, setState] = useState<LinkState>(start);
  const [half, setHalf] = useState<Half | null>(null);

  const signJoin = async (joining: WalletHandle, wallet: NamedWallet) => {
    if (!joining.wallet) return;
    const { chain, address } = joining.wallet;
    setState({ phase: "join", busy: true, problem: null });
    const fail = (problem: string) => setState({ phase: "join", busy: false, problem });
    const started = await startLink({ allow: wallet, join: { chain, address } }).catch(refusedBy(noAnswer));
    if (!started.ok) return fail(started.message);
    const join = await joining.sign(started.join).catch(wordsFor);
    if (typeof join === "string") return fail(join);
    setHalf({ join, joining, allow: started.allow });
    setState({ phase: "allow", busy: false, problem: null });
  };

  const signAllow = async (allowing: WalletHandle) => {
    if (!half) return;
    setState({ phase: "allow", busy: true, problem: null });
    const allow = await allowing.sign(half.allow).catch(wordsFor);
    if (typeof allow === "string") return setState({ phase: "allow", busy: false, problem: allow });
    const linked = await linkWallet({ join: half.join, allow }).catch(refusedBy(noAnswerToLink));
    if (linked.ok) return onLinked();
    // Both texts are used up in any case: both wallets must sign again.
    for (const handle of [half.joining, allowing]) handle.refused();
    setHalf(null);
    setState({ ...start, problem: linked.message });
  };

  const restart = () => {
    setHalf(null);
    setState(start);
  };
  return { state, signJoin, signAllow, restart };
}

/** Turns a missing answer into a refusal. */
const refusedBy =
  (message: string) =>
  (error: unknown): Refusal => {
    unstable_rethrow(error); // an ended session redirects to sign-in
    return { ok: false, message };
  };
