"use client";

import { type RefCallback, useCallback, useEffect, useRef } from "react";

/**
 * Focuses what the returned ref is given to whenever `step` becomes another: the button that was pressed is no longer there, and the
 * keyboard would begin again at the top of the page. Not at first: nobody has pressed anything then.
 */
export function useFocusOnStep(step: string): RefCallback<HTMLElement> {
  const part = useRef<HTMLElement>(null);
  const known = useRef(step);
  useEffect(() => {
    if (known.current === step) return;
    known.current = step;
    part.current?.focus();
  }, [step]);
  return useCallback((shown: HTMLElement | null) => {
    part.current = shown;
  }, []);
}
