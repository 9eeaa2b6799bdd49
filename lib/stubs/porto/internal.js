// The part of porto that wagmi's connectors name.
export const z = {};
