import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export const about = JSON.parse(readFileSync("package.json", "utf8"));

/** The furniture of a workspace is text in the scripts. */
export const textFiles = {
  ".md": "text",
  ".gitignore": "text",
  ".sh": "text",
  ".ps1": "text",
} as const;

export const options = {
  write: false,
  define: {
    CONSULTA_VERSION: JSON.stringify(about.version),
    CONSULTA_NODE: JSON.stringify(about.engines.node.replace(">=", "")),
    // Native helpers that ws would look for in whatever project it is run in: nothing there is run.
    "process.env.WS_NO_BUFFER_UTIL": '"1"',
    "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
  },
  // Their builds for Node hide from the bundler what of them is used.
  alias: {
    "jsonc-parser": "jsonc-parser/lib/esm/main.js",
    yaml: resolve("node_modules/yaml/browser/dist/index.js"),
  },
  loader: textFiles,
  jsx: "automatic",
  jsxImportSource: "preact",
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  // The bundle is strict as a whole; esbuild would say it of each module.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, alwaysStrict: false } },
  legalComments: "none",
} as const;
