// Stands in for porto, which wagmi's connectors name and this product never loads (lib/stubs/README.md).
export const Porto = {};
export const RpcSchema = {};
