"use client";

import Link from "next/link";
import { useState } from "react";
import type { CodeTarget } from "../../../docs/api-call";
import { CodeBlock } from "../../../ui/code-block";
import { Dialog } from "../../../ui/dialog";
import { SelectField } from "../../../ui/field";
import { Tabs } from "../../../ui/tabs";
import type { ChatBody } from "../chat/body";
import { promptBody } from "./bodies";
import { type ClientId, clientNames, writeCode } from "./clients";

interface CodeDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  target: CodeTarget;
  /** Names of the account's keys that may send requests. */
  keyNames: readonly string[];
  /** The body that would be sent next. */
  body: ChatBody;
}

const MAX_NAMES = 3;

/** The next turn as code, in the client and language of choice. */
export function CodeDialog({ open, onOpenChange, target, keyNames, body }: CodeDialogProps) {
  const [client, setClient] = useState<ClientId>("prompt");
  const codes = writeCode(client, target, body);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="API code" description={<KeyNote target={target} keyNames={keyNames} />}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <SelectField
          label="Client"
          hint={client === "prompt" && !promptBody(body) ? "This is more than a prompt alone, so the code sends a chat completion." : null}
          value={client}
          onChange={(chosen) => {
            if (Object.hasOwn(clientNames, chosen)) setClient(chosen as ClientId);
          }}
        >
          {Object.entries(clientNames).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <Tabs
          label="Language"
          tabs={codes.map(({ language, code }) => ({
            value: language,
            title: language,
            content: (
              <CodeBlock title={language} copy={code}>
                {shownCode(code)}
              </CodeBlock>
            ),
          }))}
        />
      </div>
    </Dialog>
  );
}

/** Images as they are copied are too long to show. */
const shownCode = (code: string): string => code.replace(/[A-Za-z0-9+/]{400,}={0,2}/g, (data) => `${data.slice(0, 40)}…`);

/** Where the key goes, and which there are. */
function KeyNote({ target, keyNames }: Pick<CodeDialogProps, "target" | "keyNames">) {
  const variable = <code className="rounded-sm bg-panel px-1 py-px font-mono text-xs text-ink">{target.keyVariable}</code>;
  const link = "underline underline-offset-2 hover:text-ink";
  if (keyNames.length === 0) {
    return (
      <>
        Sends the same request. You have no API key yet.{" "}
        <Link href="/keys" className={link}>
          Create key
        </Link>
        , then set {variable} to it.
      </>
    );
  }
  const more = keyNames.length > MAX_NAMES ? ` and ${keyNames.length - MAX_NAMES} more` : "";
  return (
    <>
      Sends the same request. Set {variable} to one of your{" "}
      <Link href="/keys" className={link}>
        API keys
      </Link>
      : <span className="wrap-anywhere">{keyNames.slice(0, MAX_NAMES).join(", ")}</span>
      {more}.
    </>
  );
}
