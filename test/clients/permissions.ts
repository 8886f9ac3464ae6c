/** What lets a client run the scripts and write the drafts of messages, and nothing else. */
export const narrow = {
  claude: ["--allowedTools", "Bash(node *)", "Edit(.consulta/drafts/**)"],
  gemini: [
    "--approval-mode",
    "auto_edit",
    "--allowed-tools",
    "activate_skill,run_shell_command(node)",
  ],
};
