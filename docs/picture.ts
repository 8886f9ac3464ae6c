/** Draws docs/rehearsal.svg: the README's picture, from a real run of the README's first command. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const question = "Should we store sessions in SQLite or in files?";
const columns = 118;
const lineHeight = 19;

const folder = mkdtempSync(join(tmpdir(), "consulta-"));
const run = spawnSync("node", [resolve("dist/consult.cjs"), "--rehearse", question], {
  cwd: folder,
  encoding: "utf8",
});
rmSync(folder, { recursive: true, force: true });
if (run.status !== 0) throw new Error(`the rehearsal failed: ${run.stderr}`);

const report = run.stdout.split("\n");
const decision = report.indexOf("## Decision");
const checked = report.indexOf("## Checked facts");
const shown = [
  `$ node dist/consult.cjs --rehearse "${question}"`,
  ...run.stderr.split("\n").filter((line) => /^ {2}\d/.test(line)),
  "",
  ...report.slice(0, 8),
  ...report.slice(decision, decision + 7),
  "",
  ...report.slice(checked, checked + 5).filter((line) => !line.startsWith("- open")),
  "...",
].flatMap(wrap);

writeFileSync("docs/rehearsal.svg", picture(shown));

/** Long lines go on below, indented as in a terminal that wraps between words. */
function wrap(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(" ", columns);
    const cut = space > 20 ? space : columns;
    lines.push(rest.slice(0, cut));
    rest = `    ${rest.slice(cut).trimStart()}`;
  }
  return [...lines, rest];
}

function picture(lines: string[]): string {
  const width = columns * 8.45 + 40;
  const height = lines.length * lineHeight + 60;
  const rows = lines.map(
    (line, index) =>
      `<text x="20" y="${54 + index * lineHeight}" fill="${colour(line)}" xml:space="preserve">${escaped(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="10" fill="#10151c"/>
<circle cx="22" cy="20" r="6" fill="#f0655a"/><circle cx="42" cy="20" r="6" fill="#f2bd45"/><circle cx="62" cy="20" r="6" fill="#58c26a"/>
${rows.join("\n")}
</svg>
`;
}

function colour(line: string): string {
  if (line.startsWith("$")) return "#ffffff";
  if (/^#|^\*\*/.test(line)) return "#8bd5ff";
  if (/refuted|CONSENSUS|AGREE/.test(line)) return "#9be59b";
  return / has the turn/.test(line) ? "#7d8896" : "#d5dce5";
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
