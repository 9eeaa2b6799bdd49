interface SandboxBannerProps {
  /** The operator lets real providers answer in the sandbox. */
  mayHaveRealModels: boolean;
}

/** Stands above every page of a sandbox. */
export function SandboxBanner({ mayHaveRealModels }: SandboxBannerProps) {
  return (
    <aside aria-label="Sandbox" className="border-b border-amber-edge bg-amber-wash text-amber-ink">
      <p className="mx-auto max-w-wide px-5 py-1.5 text-center text-xs">
        <strong className="font-medium">Sandbox:</strong>{" "}
        {mayHaveRealModels ? "money is simulated here, and models where no real provider is set." : "models and money are simulated here."}{" "}
        Nothing on this page is real money.
      </p>
    </aside>
  );
}
