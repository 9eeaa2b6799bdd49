import type { Refusal } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/problem";

export interface FieldProblem {
  /** Null: the form as a whole. */
  field: string | null;
  message: string;
}

const fields = ["name", "expiry", "cap", "models"];

/** What a form shows of a refusal: beside the field that is wrong, when it is one of its own. */
export const problemOf = ({ field, message }: Refusal): FieldProblem => ({
  field: field && fields.includes(field) ? field : null,
  message,
});

interface FormEndProps {
  problem: FieldProblem | null;
  busy: boolean;
  /** A verb. */
  action: string;
  onCancel: () => void;
}

/** What is wrong with the form as a whole, and its buttons. */
export function FormEnd({ problem, busy, action, onCancel }: FormEndProps) {
  return (
    <>
      {problem && problem.field === null ? <Problem>{problem.message}</Problem> : null}
      <div className="flex justify-end gap-3">
        <Button onClick={onCancel} disabled={busy}>
          Cancel
        </Button>
        <Button look="primary" type="submit" busy={busy}>
          {action}
        </Button>
      </div>
    </>
  );
}
