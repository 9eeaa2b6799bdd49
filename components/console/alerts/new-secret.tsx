"use client";

import { ShownOnce } from "../shown-once";

interface NewSecretProps {
  secret: string;
  onStored: () => void;
}

/** A webhook's secret just created. */
export const NewSecret = ({ secret, onStored }: NewSecretProps) => (
  <ShownOnce
    label="The webhook's secret"
    copyLabel="Copy the secret"
    secret={secret}
    warning="You will not see this secret again. Store it where your receiver runs, and check the signature of each webhook with it: anyone who has it can send you false events."
    onStored={onStored}
  />
);
