"use client";

// Back closes an open dialog instead of leaving its page, as people expect on phones. An open dialog has an entry of its own in the
// browser's history, with the page's address; a dialog closed in another way takes it out again. Next's router hears of neither: the
// address stays the same, and it would drop what it is loading.

import { type RefObject, useEffect, useRef } from "react";

interface BackOptions {
  isOpen: boolean;
  /** Its content is shown only once, or is being sent: Back changes nothing. */
  isHeld: boolean;
  /** Asks the owner to close it. */
  close: () => void;
  /** Called once it is closed and its entry is out of the history: a step to another page waits for that, or would be undone. */
  onLeft?: () => void;
}

/** Every dialog's content has it; the last one in the document is the topmost. */
export const DIALOG_MARK = "data-dialog";

/** On the document's element: the steps back that are our own and under way, one word each. */
const OWN_STEPS = "data-own-steps";
const OWN_STEP_MS = 1_000;
/** An event of the window: its `detail` is the step that was taken. */
const STEP_TAKEN = "own-step-taken";

export function useBackCloses(content: RefObject<HTMLElement | null>, options: BackOptions): void {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { isOpen } = options;
  useEffect(() => (isOpen ? enterHistory(content, latest) : undefined), [isOpen, content]);
}

function enterHistory(content: RefObject<HTMLElement | null>, latest: RefObject<BackOptions>): () => void {
  const { href } = window.location;
  let isEntered = false;
  const enter = () => {
    isEntered = true;
    // A state of Next's own: it then takes the entry for one of its, and does nothing.
    window.history.pushState(window.history.state, "", href);
  };
  const onBack = (event: PopStateEvent) => {
    if (takeOwnStep()) return event.stopImmediatePropagation();
    if (window.location.href !== href || !isTopmost(content.current)) return;
    event.stopImmediatePropagation();
    isEntered = false;
    if (latest.current.isHeld) return enter();
    latest.current.close();
    // It may have refused.
    setTimeout(() => content.current?.isConnected && latest.current.isOpen && !isEntered && enter());
  };
  enter();
  // Before Next's own listener.
  window.addEventListener("popstate", onBack, { capture: true });
  return () => {
    // A link may have led to another page meanwhile, which keeps its place in the history.
    const onLeft = () => latest.current.onLeft?.();
    if (isEntered && window.location.href === href) stepBack(onLeft);
    else onLeft();
    window.removeEventListener("popstate", onBack, { capture: true });
  };
}

function isTopmost(content: HTMLElement | null): boolean {
  const open = [...document.querySelectorAll(`[${DIALOG_MARK}][data-state="open"]`)];
  return content !== null && open.at(-1) === content;
}

const ownSteps = (): string[] => (document.documentElement.getAttribute(OWN_STEPS) ?? "").split(" ").filter((step) => step !== "");

function setOwnSteps(steps: readonly string[]): void {
  if (steps.length > 0) document.documentElement.setAttribute(OWN_STEPS, steps.join(" "));
  else document.documentElement.removeAttribute(OWN_STEPS);
}

/** Whether a step back is our own: the first of those under way. */
function takeOwnStep(): boolean {
  const [step, ...later] = ownSteps();
  if (step === undefined) return false;
  setOwnSteps(later);
  window.dispatchEvent(new CustomEvent(STEP_TAKEN, { detail: step }));
  return true;
}

/** Leaves a dialog's entry. The last dialog that closes has no listener left: this one hears of its step. One below may hear of it first. */
function stepBack(onLeft: () => void): void {
  const step = crypto.randomUUID?.() ?? `${Math.random()}`; // only secure origins have the first
  setOwnSteps([...ownSteps(), step]);
  const onStep = (event: PopStateEvent) => {
    if (takeOwnStep()) event.stopImmediatePropagation();
  };
  const onTaken = (event: Event) => {
    if (event instanceof CustomEvent && event.detail === step) end();
  };
  const end = () => {
    clearTimeout(timer);
    window.removeEventListener("popstate", onStep, { capture: true });
    window.removeEventListener(STEP_TAKEN, onTaken);
    setOwnSteps(ownSteps().filter((one) => one !== step));
    onLeft();
  };
  const timer = setTimeout(end, OWN_STEP_MS);
  window.addEventListener("popstate", onStep, { capture: true });
  window.addEventListener(STEP_TAKEN, onTaken);
  window.history.back();
}
