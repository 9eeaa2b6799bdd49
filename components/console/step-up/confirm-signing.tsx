"use client";

import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { NamedWallet, PlainChallenge, WalletAccess } from "@/lib/console/views/wallet";
import { LinkedSigner } from "../../wallet/linked-signer";
import { useProof } from "../../wallet/use-proof";
import { WalletProviders } from "../../wallet/wallet-providers";
import { isSameWallet, type SignedChallenge } from "../../wallet/wallet-types";

export interface ConfirmSigningProps {
  wish: NonNullable<Refusal["confirm"]>;
  /** The account's wallets; any of them that stays can sign. */
  signers: readonly Pick<OwnWallet, "chain" | "address" | "leavesAt">[];
  access: WalletAccess;
  ask: (input: { statement: string; seal: string; wallet: NamedWallet }) => Promise<Answer<{ challenge: PlainChallenge }>>;
  onSigned: (signed: SignedChallenge) => void;
}

/** Signing with the wallet libraries around it: large, so it is loaded when a signature is asked for. */
export const ConfirmSigning = ({ access, ...signing }: ConfirmSigningProps) => (
  <WalletProviders {...access}>
    <Signing {...signing} />
  </WalletProviders>
);

function Signing({ wish: { statement, seal, except }, signers, ask, onSigned }: Omit<ConfirmSigningProps, "access">) {
  const { state, prove } = useProof({
    requestChallenge: ({ chain, address }) => ask({ statement, seal, wallet: { chain, address } }),
    submit: async (signed) => {
      onSigned(signed);
      return { ok: true };
    },
  });
  const busy = state.step === "asking" || state.step === "signing" || state.step === "checking";
  return (
    <LinkedSigner
      signers={signers.filter((one) => one.leavesAt === null && !except.some((other) => isSameWallet(one, other)))}
      action={state.step === "signing" ? "Sign in your wallet" : "Sign and confirm"}
      busy={busy}
      problem={state.step === "failed" ? state.message : null}
      press={(handle) => void prove(handle)}
    />
  );
}
