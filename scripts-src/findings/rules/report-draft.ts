/** A report to fill in: every `...` is the author's to replace. */
export function reportDraft(directory: string): string[] {
  return [
    "# ...",
    "",
    "## Working Directories",
    `- \`${directory}\` -- ...`,
    "",
    "## Files Modified",
    "- none",
    "",
    "## Files Investigated (not modified)",
    "- `...` -- ...",
    "",
    "## Summary",
    "...",
  ];
}
