// All methods that this chain supports over both HTTP and WebSocket.

import type { Chain } from "./chain";
import { accountMethods } from "./methods/accounts";
import { clusterMethods } from "./methods/cluster";
import { historyMethods } from "./methods/history";
import { sendMethods } from "./methods/send";
import { tokenMethods } from "./methods/tokens";
import type { Methods } from "./rpc/answer";

export function methodsOf(chain: Chain): Methods {
  return new Map([
    ...clusterMethods(chain),
    ...accountMethods(chain),
    ...tokenMethods(chain),
    ...sendMethods(chain),
    ...historyMethods(chain),
  ]);
}
