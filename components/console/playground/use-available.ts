"use client";

import { useEffect, useRef, useState } from "react";

/** What the account can spend: the last reading, of the page, of a price or of the end of a run. Nano-USD. */
export function useAvailable(rendered: bigint) {
  const [reading, setReading] = useState({ available: rendered, isFresh: true });
  const isRunning = useRef(false);
  useEffect(() => setReading((known) => ({ ...known, available: rendered })), [rendered]);
  return {
    available: reading.available,
    /** Null from the start of a run until it was read after its end. */
    availableNow: reading.isFresh ? reading.available : null,
    recordPrice: (available: bigint) => setReading({ available, isFresh: !isRunning.current }),
    recordStart: () => {
      isRunning.current = true;
      setReading((known) => ({ ...known, isFresh: false }));
    },
    /** Null when it could not be read; the next price has it. */
    recordEnd: (available: bigint | null) => {
      isRunning.current = false;
      if (available !== null) setReading({ available, isFresh: true });
    },
  };
}
