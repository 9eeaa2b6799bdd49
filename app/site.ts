// The service's facts on every page: its name, its address, and whether its money is real.

import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";

export interface Site {
  name: string;
  baseUrl: string;
  isSandbox: boolean;
  /** In a sandbox: the operator allows real providers. */
  mayHaveRealModels: boolean;
  /** The environment variable from which examples read the key. */
  keyVariable: string;
  /** In a sandbox: the file with the demo key, as a path for `require`. The key itself never enters a page. */
  sandboxFile: string;
}

export function readSite(): Site {
  const { SERVICE_NAME, MODE, SANDBOX_REAL_MODELS, DATA_DIR } = config();
  const folder = /^[./]/.test(DATA_DIR) && !/^\.\w/.test(DATA_DIR) ? DATA_DIR : `./${DATA_DIR}`;
  return {
    name: SERVICE_NAME,
    baseUrl: publicUrl(),
    isSandbox: MODE === "sandbox",
    mayHaveRealModels: SANDBOX_REAL_MODELS,
    keyVariable: `${SERVICE_NAME.toUpperCase()}_KEY`,
    sandboxFile: `${folder.replace(/(?<!\/)\/+$/, "")}/sandbox.json`,
  };
}
