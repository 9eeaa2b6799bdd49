"use client";

// The set-up of the page's link. It is taken into a draft of its own, and a mark in the address says which: going back, or opening the page
// without the mark, shows the reader's own draft.

import { useEffect, useState } from "react";
import type { Setup } from "../chat/setup";
import { readSetupLink } from "./setup-link";

const MARK = "#linked=";

interface LinkedDrafts {
  /** Of the draft that is shown; null for the own one. */
  linkId: string | null;
  isOffered: (model: string) => boolean;
  takeLinked: (linkId: string, setup: Setup) => void;
  reopenLinked: (linkId: string) => boolean;
  leaveLinked: () => void;
  endLinked: () => void;
}

/** The outcome of the link. */
interface LinkOutcome {
  /** Why its set-up cannot be read. */
  problem: string | null;
  /** Its model; null where that is on offer. */
  unknownModel: string | null;
}

const fine: LinkOutcome = { problem: null, unknownModel: null };

interface LinkedSetupState extends LinkOutcome {
  isShown: boolean;
  /** Shows the own draft again. */
  end: () => void;
}

export function useLinkedSetup(drafts: LinkedDrafts): LinkedSetupState {
  const [outcome, setOutcome] = useState<LinkOutcome>(fine);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each address that opens the page
  useEffect(() => {
    const follow = () => {
      const { hash } = window.location;
      const linked = readSetupLink(hash);
      setOutcome(fine);
      if (linked.kind === "setup") {
        const linkId = Date.now().toString(36);
        drafts.takeLinked(linkId, linked.setup);
        setFragment(MARK + linkId);
        if (!drafts.isOffered(linked.setup.model)) setOutcome({ ...fine, unknownModel: linked.setup.model });
      } else if (linked.kind === "broken") {
        drafts.leaveLinked();
        setFragment("");
        setOutcome({ ...fine, problem: linked.problem });
      } else if (!hash.startsWith(MARK)) drafts.leaveLinked();
      else if (!drafts.reopenLinked(hash.slice(MARK.length))) setFragment("");
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const end = () => {
    drafts.endLinked();
    setFragment("");
  };
  return { ...outcome, isShown: drafts.linkId !== null, end };
}

/**
 * Changes the address, and tells Next's router, which would write the old one back. It listens only after the first effects of its pages, and
 * so this waits for them.
 */
function setFragment(fragment: string): void {
  const { pathname, search } = window.location;
  setTimeout(() => {
    if (window.location.pathname === pathname) window.history.replaceState(null, "", pathname + search + fragment);
  });
}
