// Stands in for @solana-mobile/wallet-adapter-mobile, which the wallet libraries name and this product never loads (lib/stubs/README.md).
export {};
