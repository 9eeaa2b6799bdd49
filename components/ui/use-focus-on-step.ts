"use client";

import { type RefCallback, useCallback, useEffect, useRef } from "react";

/**
 * Focuses the element with the returned ref whenever `step` changes: the clicked button no longer exists, and the keyboard would start
 * again at the top of the page. Not on the first render: nothing was clicked yet.
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
