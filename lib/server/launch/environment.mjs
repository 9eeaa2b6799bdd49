// The environment of the install and the build: hundreds of packages run there, and none needs a key, a passphrase or the
// database. It is an allow-list, since a deny-list would miss future settings.

const allowed = [
  // The system, and directories for temporary files.
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ|LANG|LANGUAGE|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|CI)$/,
  /^(LC|XDG)_\w+$/,
  // The same on Windows, where names come in either case.
  /^(SystemRoot|SystemDrive|WinDir|ComSpec|PathExt|AppData|LocalAppData|ProgramData|ProgramFiles(\(x86\))?|UserProfile|Path)$/i,
  // Access to the registry.
  /^npm_\w+$/i,
  /^((https?|no|all)_proxy|SSL_CERT_(FILE|DIR))$/i,
  /^(NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY)$/,
  // Next's own, and the ones it inlines into pages. Not NEXTAUTH_SECRET.
  /^(__)?NEXT_/,
];

/** True for a variable that the install and the build may see. */
export const isForBuild = (name) => allowed.some((pattern) => pattern.test(name));

/** Runs `work` while the environment, and so that of every child process, holds only variables that a build may see. */
export async function withBuildEnvironment(work) {
  const whole = { ...process.env };
  for (const name of Object.keys(whole)) if (!isForBuild(name)) delete process.env[name];
  try {
    return await work();
  } finally {
    Object.assign(process.env, whole);
  }
}
