import { useCallback, useEffect, useRef } from "react";

/** Marks the entry of the history that the palette adds. */
const MARK = "palette";

const isOurs = (): boolean => Reflect.get(window.history.state ?? {}, MARK) === true;

/** Back closes the palette and stays on the page: opening it adds an entry to the history, which closing it takes away again. */
export function useBackToClose(onClose: () => void): { close: () => void; leave: (go: () => void) => void } {
  const afterwards = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (!isOurs()) window.history.pushState({ ...window.history.state, [MARK]: true }, "");
    const closed = () => {
      if (isOurs()) return;
      onClose();
      afterwards.current?.();
    };
    window.addEventListener("popstate", closed);
    return () => window.removeEventListener("popstate", closed);
  }, [onClose]);
  const leave = useCallback((go: () => void) => {
    afterwards.current = go;
    window.history.back();
  }, []);
  const close = useCallback(() => window.history.back(), []);
  return { close, leave };
}
