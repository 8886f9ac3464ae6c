/** Variables by name, as a process has them. */
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What every program needs of the user's environment: where things lie, language, terminal, proxies,
 * and how Node is to run. Windows writes names in any case.
 */
const common: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TZ", "TMPDIR", "TMP", "TEMP", "HOSTNAME"],
  ...["LANG", "LANGUAGE", "LC_*", "TERM", "TERM_*", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CI"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["NODE_*", "NVM_*", "FNM_*", "VOLTA_*", "ASDF_*", "MISE_*", "XDG_*", "CONSULTA_*"],
  // The system's keyring, where CLIs keep their sign-in.
  ...["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERDOMAIN"],
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PUBLIC", "COMPUTERNAME"],
  ...["ALLUSERSPROFILE", "PROGRAM*", "COMMONPROGRAM*", "NUMBER_OF_PROCESSORS", "PROCESSOR_*"],
];

/** A secret of another tool may begin as its settings do: `NODE_AUTH_TOKEN`. */
const secretName = /TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|KEY/;

/**
 * The variables that a driven CLI is given: what every program needs, and what `names` lists, where
 * `*` stands for the rest of a name and `WHEN:NAME` counts where WHEN is set.
 */
export function passedVariables(outer: Variables, names: readonly string[]): Variables {
  const wanted = names.flatMap((name) => {
    const [, when = "", then = ""] = /^(\w+):(.+)$/.exec(name) ?? [];
    if (when === "") return [name];
    return (outer[when] ?? "") === "" ? [] : [then];
  });
  return Object.fromEntries(
    Object.entries(outer).filter(([name]) => isCommon(name) || wanted.some(matching(name))),
  );
}

function isCommon(name: string): boolean {
  const fits = matching(name.toUpperCase());
  const found = common.find(fits);
  if (found === undefined) return false;
  return !found.endsWith("*") || !secretName.test(name.toUpperCase());
}

function matching(name: string): (pattern: string) => boolean {
  return (pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/**
 * What a CLI tells the tools that it runs about itself. These name the CLI that started us: passed
 * on, a Claude refuses to start inside a Claude, and a Gemini under a Claude would take itself for
 * claude.
 */
const outerMarks =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:SESSION_ID|ENTRYPOINT|SSE_PORT|MESSAGING_.*)|CLAUDE_(?:PID|ENV_FILE|PROJECT_DIR)|AI_AGENT|GEMINI_CLI|GEMINI_(?:SESSION_ID|PROJECT_DIR|CWD)|CODEX_(?:THREAD_ID|SESSION_ID|TOOL_CALL_ID)|OPENCODE|OPENCODE_PID)$/;

/** An environment without them: for a CLI that is started here and is another one. */
export function withoutParentCli(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !outerMarks.test(name)));
}
