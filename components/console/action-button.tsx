"use client";

import type { ComponentProps, ReactNode } from "react";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../ui/button";
import type { SignedChallenge } from "../wallet/wallet-types";
import { showOutcome, useAction } from "./use-action";

interface ActionButtonProps<Input> extends Omit<ComponentProps<typeof Button>, "onClick" | "busy"> {
  action: (input: Input, proof?: SignedChallenge) => Promise<Answer>;
  input: Input;
  /** The notice once it is done. */
  done: string;
  toastId?: string;
  icon?: ReactNode;
}

/** A small button that runs a server action and says what became of it. */
export function ActionButton<Input>({ action, input, done, toastId, icon, children, ...button }: ActionButtonProps<Input>) {
  const { busy, run } = useAction();
  const press = () =>
    showOutcome(
      run((proof) => action(input, proof)),
      done,
      toastId,
    );
  return (
    <Button size="small" busy={busy} onClick={() => void press()} {...button}>
      {busy ? null : icon} {children}
    </Button>
  );
}
