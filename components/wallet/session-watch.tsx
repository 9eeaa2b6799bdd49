"use client";

import { useEffect } from "react";
import { watchSession } from "./session-news";

/** Loads the page anew when another tab signs in or out: what stands here then belongs to another session. */
export function SessionWatch() {
  useEffect(() => watchSession(() => window.location.reload()), []);
  return null;
}
