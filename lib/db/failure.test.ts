import { expect, test } from "vitest";
import { isStatementError } from "./failure";

const refused = (code: string) => Object.assign(new Error("refused"), { code, severity: "ERROR" });

test("a statement was refused only when the database said so, and did not end its connection with it", () => {
  for (const code of ["23505", "40P01", "55P03", "XX000", "P0001"]) expect(isStatementError(refused(code)), code).toBe(true);
  for (const code of ["57P01", "08006", "58030"]) expect(isStatementError(refused(code)), code).toBe(false);
  for (const code of ["EPIPE", "ECONNRESET"]) expect(isStatementError(Object.assign(new Error("broken"), { code })), code).toBe(false);
  for (const other of [new Error("timeout"), null, undefined, "23505"]) expect(isStatementError(other)).toBe(false);
});
