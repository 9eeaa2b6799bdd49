// Stands in for @gemini-wallet/core, which the wallet libraries name and this product never loads (lib/stubs/README.md).
export {};
