// The context that Next provides around a page, for tests that render one to text.

import { AppRouterContext, type AppRouterInstance } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";

const router: AppRouterInstance = {
  back: () => undefined,
  forward: () => undefined,
  refresh: () => undefined,
  push: () => undefined,
  replace: () => undefined,
  prefetch: () => undefined,
  bfcacheId: "test",
};

/** The HTML that the server would send for `node`. */
export const drawPage = (node: ReactNode): string =>
  renderToStaticMarkup(createElement(AppRouterContext.Provider, { value: router }, node));
