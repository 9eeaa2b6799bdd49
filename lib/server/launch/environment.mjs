// The environment of what installs and builds: hundreds of packages run there, and none needs a key, a passphrase or the
// database. It is a list of what may pass, since settings to come would be missing in a list of what may not.

const allowed = [
  // The system, and where programs keep what is temporary.
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ|LANG|LANGUAGE|LC_\w+|TMPDIR|TEMP|TMP|XDG_\w+|LD_LIBRARY_PATH|CI)$/,
  // The same on Windows, which writes names in either case.
  /^(SystemRoot|SystemDrive|WinDir|ComSpec|PathExt|AppData|LocalAppData|ProgramData|ProgramFiles(\(x86\))?|UserProfile|Path)$/i,
  // The way to the registry.
  /^(npm_\w+|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR))$/i,
  /^(NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY)$/,
  // Next's own, and what it writes into pages. Not NEXTAUTH_SECRET.
  /^(__)?NEXT_/,
];

/** True for a variable that installing and building may know. */
export const isForBuild = (name) => allowed.some((pattern) => pattern.test(name));

/** Runs `work` while the environment, and so that of every child process, holds nothing but what a build may know. */
export async function withBuildEnvironment(work) {
  const whole = { ...process.env };
  for (const name of Object.keys(whole)) if (!isForBuild(name)) delete process.env[name];
  try {
    return await work();
  } finally {
    Object.assign(process.env, whole);
  }
}
