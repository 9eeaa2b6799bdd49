import type { Refusal } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { Problem } from "../../ui/problem";

export interface FieldProblem {
  /** Null: the whole form. */
  field: string | null;
  message: string;
}

const fields = ["name", "expiry", "cap", "clip", "alarm", "models", "scopes", "networks"];

/** How a form shows a refusal: beside the wrong field, if the form has it. */
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

/** The problem of the whole form, and its buttons. */
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
