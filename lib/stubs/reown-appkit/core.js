// The part of @reown/appkit that WalletConnect names, for a dialog that is never opened (lib/stubs/README.md).
export const createAppKit = () => {
  throw new Error("the dialog of WalletConnect is not part of this product");
};
