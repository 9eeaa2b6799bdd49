"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Run } from "../run";
import { onCleared } from "./browser-store";
import { keepRuns, readRuns } from "./kept-runs";

/** The runs of this browser, newest first. Those of this page are kept when they end, and when the page is left. */
export function useKeptRuns(accountId: string) {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const latest = useRef(runs);
  const changed = useRef(new Set<number>());
  const isCleared = useRef(false);

  const update = useCallback((next: readonly Run[]) => {
    latest.current = next;
    setRuns(next);
  }, []);

  const save = useCallback(() => {
    const own = latest.current.filter(({ id }) => changed.current.has(id));
    if (own.length > 0 && !isCleared.current) keepRuns(accountId, own);
  }, [accountId]);

  useEffect(() => {
    update(readRuns(accountId));
    const stop = onCleared(() => {
      isCleared.current = true;
      update([]);
    });
    window.addEventListener("pagehide", save);
    return () => {
      stop();
      window.removeEventListener("pagehide", save);
      save();
    };
  }, [accountId, save, update]);

  const add = useCallback(
    (run: Run) => {
      isCleared.current = false;
      changed.current.add(run.id);
      update([run, ...latest.current]);
    },
    [update],
  );

  const change = useCallback(
    (id: number, changes: Partial<Run>) => {
      changed.current.add(id);
      update(latest.current.map((run) => (run.id === id ? { ...run, ...changes } : run)));
    },
    [update],
  );
  return { runs, latest, add, change, save };
}
