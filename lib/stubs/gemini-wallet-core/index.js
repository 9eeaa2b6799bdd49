// Stands in for @gemini-wallet/core, which wagmi's connectors name and this product never loads (lib/stubs/README.md).
export class GeminiWalletProvider {}
