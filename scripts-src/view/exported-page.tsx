import { basename, join } from "node:path";
import style from "page:style";
import { renderToString } from "preact-render-to-string";
import type { Clock } from "../base/clock.ts";
import { isRecord } from "../base/json.ts";
import { findSecret, withoutSecrets } from "../base/secrets.ts";
import { isoSecond, millisecondsOf } from "../base/time.ts";
import { oneLine } from "../base/visible-text.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { sha256 } from "../files/hash.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { type Place, readersProject } from "../session/place.ts";
import type { SessionModel } from "./page/model.ts";
import { SessionBody } from "./page/session.tsx";
import { SessionHead } from "./page/session-parts.tsx";
import { sessionModel } from "./session-model.ts";
import { wholeStory } from "./session-timeline.ts";

/** A file that is sent has more than a page on a screen, and an end. */
const itemsMax = 2_000;
const fileName = "report.html";
/** How long somebody waits, and what its process does, says nothing to a reader of next week. */
const silent = { turnAt: "", actedAt: "", sign: "" };

/**
 * Writes a session as one file beside its report; returns its path. The file needs no network and no
 * script, and what looks like a credential is left out of it.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export async function keepExportedPage(place: Place, clock: Clock): Promise<string> {
  const point = await wholeStory(place);
  const named = { key: place.id, project: basename(readersProject(place)) };
  const model = await sessionModel(point, named, { lastSeq: point.seq, clock, itemsMax });
  const { folder, workspace, config, id } = place;
  const kept =
    workspace === undefined ? folder : ensureFolder(workspace.root, config.artifacts_dir, id);
  const path = join(kept, fileName);
  writeFileAtomically(path, exportedPage(model, clock.now()));
  return path;
}

function exportedPage(found: SessionModel, now: string): string {
  const participants = found.participants.map((it) => ({ ...it, ...silent }));
  const model = withoutCredentials({ ...found, participants });
  if (!isModel(model)) throw new Error("a model without credentials is one");
  const body = renderToString(<Whole model={model} now={now} />);
  const data = JSON.stringify(model).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(oneLine(model.topic) || oneLine(model.id))}</title>
<style>${style}</style>
</head>
<body>
${body}
<script type="application/json" id="session">${data}</script>
</body>
</html>
`;
}

/** Nothing runs in the file, and nothing is loaded: its one style is known by its hash. */
function policyFor(text: string): string {
  return `default-src 'none'; style-src 'sha256-${sha256(text, "base64")}'; base-uri 'none'; form-action 'none'`;
}

function Whole({ model, now }: { model: SessionModel; now: string }) {
  const shown = {
    now: undefined,
    names: model.participants.map(({ name }) => name),
    isUnproven: model.isUnproven,
  };
  const made = isoSecond(millisecondsOf(now)).replace("T", " ").replace("Z", " UTC");
  return (
    <main class="session file">
      <SessionHead model={model} shown={shown} />
      <SessionBody model={model} shown={shown} isUnfolded />
      <footer class="file-foot">
        {model.earlier > 0 ? <p>{`${model.earlier} events before these are in the log.`}</p> : null}
        <p>
          {`Made ${made} from the ${model.seq} events of session `}
          <bdi>{oneLine(model.id)}</bdi>
          {
            ". All times are UTC. What participants wrote is theirs; what looked like a credential was left out. In the project, validate and check --replay say whether it still holds."
          }
        </p>
      </footer>
    </main>
  );
}

/** Every text of a model as the brain would keep it; a credential across several parts takes their marks with it. */
function withoutCredentials(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, it]) => [key, withoutCredentials(it)]);
  const cleaned: unknown = Object.fromEntries(entries);
  const text = textOf(cleaned);
  return findSecret(text) === undefined ? cleaned : { ...value, of: [withoutSecrets(text)] };
}

/** The text of words, without their parts; "" of all else. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const of = isRecord(value) ? value["of"] : undefined;
  if (!isRecord(value) || !Array.isArray(of)) return "";
  const text = of.map(textOf).join("");
  return inLine.includes(String(value["as"])) ? text : `${text}\n`;
}

const inLine: readonly string[] = ["strong", "em", "del", "code", "a"];

/** What only changed in its texts. */
function isModel(value: unknown): value is SessionModel {
  return isRecord(value) && Array.isArray(value["items"]) && isRecord(value["part"]);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
