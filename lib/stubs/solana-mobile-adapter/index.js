// Stands in for @solana-mobile/wallet-adapter-mobile, which wallet-adapter-react makes one of on phones: an adapter that says
// it is not supported, so that no list shows it (lib/stubs/README.md).

export const SolanaMobileWalletAdapterWalletName = "Mobile Wallet Adapter";
export const createDefaultAddressSelector = () => null;
export const createDefaultAuthorizationResultCache = () => null;
export const createDefaultWalletNotFoundHandler = () => async () => undefined;

const refuse = async () => {
  throw new Error("Open this page in your wallet's own browser");
};

export class SolanaMobileWalletAdapter {
  name = SolanaMobileWalletAdapterWalletName;
  url = "";
  icon = "";
  supportedTransactionVersions = null;
  publicKey = null;
  connecting = false;
  connected = false;
  readyState = "Unsupported";
  autoConnect = refuse;
  connect = refuse;
  sendTransaction = refuse;
  async disconnect() {}
  on() {
    return this;
  }
  off() {
    return this;
  }
  emit() {
    return false;
  }
}
