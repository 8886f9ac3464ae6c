import { build, type Plugin } from "esbuild";
import { about } from "./options.ts";

/** The page in the browser: what `page:script` and `page:style` hold as texts. */
const parts = {
  script: "scripts-src/view/page/live/app.tsx",
  style: "scripts-src/view/page/page.css",
} as const;

const made = new Map<string, Promise<string>>();

/** One file of the page, minified; a build asks for each more than once. */
export function compilePage(part: string): Promise<string> {
  const known = made.get(part) ?? compile(part);
  made.set(part, known);
  return known;
}

async function compile(part: string): Promise<string> {
  const entry = Object.entries(parts).find(([name]) => name === part)?.[1];
  if (entry === undefined) throw new Error(`there is no page:${part}`);
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], write: false, bundle: true, minify: true, outdir: "page" },
    ...{ format: "iife", platform: "browser", target: "es2022", legalComments: "none" },
    ...{ jsx: "automatic", jsxImportSource: "preact", charset: "ascii" },
    define: { CONSULTA_VERSION: JSON.stringify(about.version) },
  });
  return outputFiles[0]?.text ?? "";
}

/** Gives `import text from "page:script"` the text of that file. */
export const pagePlugin: Plugin = {
  name: "page",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^page:/ }, ({ path }) => ({
      path: path.slice("page:".length),
      namespace: "page",
    }));
    onLoad({ filter: /.*/, namespace: "page" }, async ({ path }) => ({
      contents: await compilePage(path),
      loader: "text",
    }));
  },
};
