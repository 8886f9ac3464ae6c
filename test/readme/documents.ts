import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** Every Markdown text that people or agents read, by its path below the repository. */
export function documents(): string[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name).replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules"));
  const top = readdirSync(root).filter((name) => name.endsWith(".md"));
  const own = ["docs", "skills", "scripts-src", ".claude/commands"].flatMap(below);
  return [...top, ...own, "examples/README.md", ".consulta/PROTOCOL.md"];
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What stands in code blocks of a language, in order. */
export function blocksOf(text: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...text.matchAll(fence)].map(([, block = ""]) => block);
}
