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
import { SessionPage } from "./page/session.tsx";
import { sessionModel } from "./session-model.ts";
import { storyOf } from "./session-timeline.ts";

/** A file that is sent has more than a page on a screen, and an end. */
const itemsMax = 2_000;
const fileName = "report.html";

/**
 * Writes a session as one file beside its report; returns its path. The file needs no network and no
 * script, and what looks like a credential is left out of it.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export async function keepExportedPage(place: Place, clock: Clock): Promise<string> {
  const { folder, workspace, config, id } = place;
  const point = await storyOf(place, itemsMax);
  const named = { key: id, project: basename(readersProject(place)), lastSeq: point.seq };
  const model = await sessionModel(point, named, clock, itemsMax);
  const kept =
    workspace === undefined ? folder : ensureFolder(workspace.root, config.artifacts_dir, id);
  const path = join(kept, fileName);
  writeFileAtomically(path, exportedPage(model, clock.now()));
  return path;
}

function exportedPage(found: SessionModel, now: string): string {
  // How long somebody waits, and what its process does, says nothing to a reader of next week.
  const silent = { turnAt: "", actedAt: "", sign: "" };
  const participants = found.participants.map((it) => ({ ...it, ...silent }));
  const model = withoutCredentials({ ...found, participants });
  const { id, topic } = model.status;
  const made = isoSecond(millisecondsOf(now)).replace("T", " ").replace("Z", " UTC");
  const body = renderToString(
    <SessionPage model={model} isUnfolded>
      <footer>
        {model.earlier > 0 ? <p>{`${model.earlier} events before these are in the log.`}</p> : null}
        <p>
          {`Made ${made} from the ${model.seq} events of session `}
          <bdi>{oneLine(id)}</bdi>
          {
            ". All times are UTC. What participants wrote is theirs; what looked like a credential was left out."
          }
          {" In the project, validate and check --replay say whether it still holds."}
        </p>
      </footer>
    </SessionPage>,
  );
  // Nothing runs in the file, and nothing is loaded: its one style is known by its hash.
  const policy = `default-src 'none'; style-src 'sha256-${sha256(style, "base64")}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(oneLine(topic) || oneLine(id))}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Every text as the brain would keep it; a credential across several parts takes their marks with it. */
function withoutCredentials<Value>(value: Value): Value {
  // Only texts change, so that it stays what it was.
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isRecord(value)) return value;
  const clean = Object.fromEntries(Object.entries(value).map(([key, it]) => [key, cleaned(it)]));
  const text = textOf(clean);
  return findSecret(text) === undefined ? clean : { ...value, of: [withoutSecrets(text)] };
}

/** The text of words, without their parts; "" of all else. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isRecord(value) || !Array.isArray(value["of"])) return "";
  const text = value["of"].map(textOf).join("");
  return inLine.includes(String(value["as"])) ? text : `${text}\n`;
}

const inLine: readonly string[] = ["strong", "em", "del", "code", "a"];

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
