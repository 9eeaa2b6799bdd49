"use client";

import { unstable_rethrow } from "next/navigation";
import { useState } from "react";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { NamedWallet, PlainChallenge } from "@/lib/console/views/wallet";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import type { SignedChallenge } from "./wallet-types";

export interface LinkActions {
  /** Requests the text for the wallet that joins. */
  startLink: (wallet: NamedWallet) => Promise<Answer<{ join: PlainChallenge }>>;
  /** Submits its signature, and requests the text for the linked wallet that approves. `absorbs`: the account that is merged then. */
  proveJoin: (signed: { join: SignedChallenge; allow: NamedWallet }) => Promise<Answer<{ allow: PlainChallenge; absorbs: string | null }>>;
  linkWallet: (signed: SignedChallenge) => Promise<Answer>;
}

interface LinkState {
  phase: "join" | "allow";
  busy: boolean;
  problem: string | null;
}

/** The text that the linked wallet still has to sign. */
interface Approval {
  allow: PlainChallenge;
  joining: NamedWallet;
  /** The joining wallet's own account, which is merged into this one. */
  absorbs: string | null;
}

const start: LinkState = { phase: "join", busy: false, problem: null };
const noAnswer = "The service did not answer. Check your connection, then try again.";
const noAnswerToLink = "The service did not answer. The wallet may be linked already: reload the page to check.";

/** Two signatures: the new wallet's, after which the service says what follows, then the linked wallet's. */
export function useLink({ startLink, proveJoin, linkWallet, onLinked }: LinkActions & { onLinked: (absorbed: boolean) => void }) {
  const [state, setState] = useState<LinkState>(start);
  const [approval, setApproval] = useState<Approval | null>(null);

  const signJoin = async (joining: WalletHandle, wallet: NamedWallet) => {
    if (!joining.wallet) return;
    const { chain, address } = joining.wallet;
    setState({ phase: "join", busy: true, problem: null });
    const fail = (problem: string) => setState({ phase: "join", busy: false, problem });
    const started = await startLink({ chain, address }).catch(refusedBy(noAnswer));
    if (!started.ok) return fail(started.message);
    const join = await joining.sign(started.join).catch(wordsFor);
    if (typeof join === "string") return fail(join);
    const { chain: on, address: of } = wallet;
    const joined = await proveJoin({ join, allow: { chain: on, address: of } }).catch(refusedBy(noAnswer));
    if (!joined.ok) {
      joining.refused();
      return fail(joined.message);
    }
    setApproval({ allow: joined.allow, joining: { chain, address }, absorbs: joined.absorbs });
    setState({ phase: "allow", busy: false, problem: null });
  };

  const signAllow = async (allowing: WalletHandle) => {
    if (!approval) return;
    setState({ phase: "allow", busy: true, problem: null });
    const allow = await allowing.sign(approval.allow).catch(wordsFor);
    if (typeof allow === "string") return setState({ phase: "allow", busy: false, problem: allow });
    const linked = await linkWallet(allow).catch(refusedBy(noAnswerToLink));
    if (linked.ok) return onLinked(approval.absorbs !== null);
    // The approval is used up in any case: both wallets must sign again.
    allowing.refused();
    setApproval(null);
    setState({ ...start, problem: linked.message });
  };

  const restart = () => {
    setApproval(null);
    setState(start);
  };
  return { state, approval, signJoin, signAllow, restart };
}

/** Turns a missing answer into a refusal. */
const refusedBy =
  (message: string) =>
  (error: unknown): Refusal => {
    unstable_rethrow(error); // an ended session redirects to sign-in
    return { ok: false, message };
  };
