"use client";

import { type RefObject, useEffect, useRef } from "react";

const CONTROLS = "input:not([type=hidden],:disabled), select:not(:disabled), textarea:not(:disabled)";

/** The first control of a form or a dialog, in a group of radio buttons the chosen one. */
export function firstControl(part: HTMLElement): HTMLElement | null {
  const found = part.querySelector<HTMLElement>(CONTROLS);
  if (!(found instanceof HTMLInputElement) || found.type !== "radio" || found.checked) return found;
  return part.querySelector<HTMLElement>(`input[type=radio][name="${CSS.escape(found.name)}"]:checked`) ?? found;
}

/** Leads to the first wrong field of a form, or to its message: focused, and scrolled into view. False when there is none. */
function showWrongField(part: HTMLElement, which: string): boolean {
  const wrong = part.querySelector<HTMLElement>(which);
  if (!wrong) return false;
  for (let fold = wrong.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  const control = wrong.matches(CONTROLS) ? wrong : firstControl(wrong);
  control?.focus({ preventScroll: true });
  (control ?? wrong).scrollIntoView({ block: "center" });
  return true;
}

/** For a form: each new refusal leads to the field that it is about. */
export function useWrongField(refusal: object | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!refusal || !form.current) return;
    showWrongField(form.current, '[aria-invalid="true"], [data-wrong]') || showWrongField(form.current, '[role="alert"]');
  }, [refusal]);
  return form;
}

/** Before a form is sent: true when a text in it is too long, which its field says; it is led to. */
export const hasTooLong = (form: HTMLFormElement): boolean => showWrongField(form, "[data-too-long]");
