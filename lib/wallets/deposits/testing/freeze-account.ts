// What the watcher is given to freeze an account with, for tests.

import type { Freeze } from "../credit";

export const freezeAccount: Freeze = async (accountId, transaction) => {
  await transaction.query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
};
