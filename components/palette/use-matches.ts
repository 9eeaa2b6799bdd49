import { useEffect, useState } from "react";
import type { AccountSearch } from "@/lib/console/views/account-search";
import type { SearchIndex } from "./search-docs";

type IndexState = { state: "loading" | "failed" } | { state: "ready"; index: SearchIndex };

/** The index of docs and models: loaded with the palette, and kept by the browser for some minutes. */
export function useSearchIndex(): IndexState {
  const [state, setState] = useState<IndexState>({ state: "loading" });
  useEffect(() => {
    const ended = new AbortController();
    readJson<SearchIndex>("/search.json", ended.signal).then(
      (index) => setState({ state: "ready", index }),
      () => ended.signal.aborted || setState({ state: "failed" }),
    );
    return () => ended.abort();
  }, []);
  return state;
}

const none: AccountSearch = { keys: [], requests: [] };
const TYPING_MS = 150;

/** The account's keys, and the requests whose id begins with the query. */
export function useAccountMatches(query: string, isSignedIn: boolean) {
  const [matches, setMatches] = useState(none);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(isSignedIn);
  const id = query.trim().startsWith("req_") ? query.trim() : "";
  useEffect(() => {
    if (!isSignedIn) return;
    const ended = new AbortController();
    setLoading(true);
    const timer = setTimeout(
      () =>
        readJson<AccountSearch>(`/account/search${id === "" ? "" : `?request=${encodeURIComponent(id)}`}`, ended.signal)
          .then(
            (found) => {
              setMatches(found);
              setProblem(null);
            },
            () =>
              ended.signal.aborted || setProblem("Your keys and requests could not be loaded. Check your connection, or sign in again."),
          )
          .finally(() => ended.signal.aborted || setLoading(false)),
      id === "" ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [id, isSignedIn]);
  return { matches, problem, isLoading };
}

/** @throws Error for any other answer than 200 */
async function readJson<Body>(path: string, signal: AbortSignal): Promise<Body> {
  const answer = await fetch(path, { signal });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as Body;
}
