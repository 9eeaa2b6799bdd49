// The environment of a child process: only what is named here, never a copy of ours with its secrets.

/** `variables` as an environment; Next's types demand NODE_ENV of every environment, so it is handed on. */
export function childEnvironment(variables: Record<string, string | undefined>): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, ...variables };
}
