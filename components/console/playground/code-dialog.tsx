import Link from "next/link";
import type { CodeTarget } from "../../docs/api-call";
import { CodeBlock } from "../../ui/code-block";
import { Dialog } from "../../ui/dialog";
import { Tabs } from "../../ui/tabs";
import { curlCode, type PromptFields, pythonCode, typescriptCode } from "./code-lines";

interface CodeDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  target: CodeTarget;
  fields: PromptFields;
}

/** The form as code. */
export function CodeDialog({ open, onOpenChange, target, fields }: CodeDialogProps) {
  // An empty prompt would be refused.
  const written = fields.prompt === "" ? { ...fields, prompt: "What is a nano-dollar?" } : fields;
  const languages = [
    { value: "curl", code: curlCode(target, written) },
    { value: "TypeScript", code: typescriptCode(target, written) },
    { value: "Python", code: pythonCode(target, written) },
  ];
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="API code"
      description={
        <>
          Sends the same request. Set{" "}
          <code className="rounded-sm bg-panel px-1 py-px font-mono text-xs text-ink">{target.keyVariable}</code> to your API key first. No
          key yet?{" "}
          <Link href="/keys" className="underline underline-offset-2 hover:text-ink">
            Create key
          </Link>
        </>
      }
    >
      <Tabs
        label="Language"
        tabs={languages.map(({ value, code }) => ({ value, title: value, content: <CodeBlock title={value} copy={code} /> }))}
      />
    </Dialog>
  );
}
