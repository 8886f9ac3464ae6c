/** A dialogue that is watched from its first message to its end, by a person who takes part in it. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { noBrowser, openPage, openTab, sessionLink, startView, type Watched } from "./browser.ts";
import { Stories } from "./stories.ts";

const at = new Stories();
after(() => removeFolder(at.project.folder));

const id = "paint";
const next = (name: string) => at.project.next(id, name).stdout;
const message = (seq: string) => `article[aria-label^="Message ${seq} "]`;

describe("a dialogue in the page", { skip: noBrowser }, () => {
  let link = "";
  let list: Watched;
  let watched: Watched;

  it("comes into the list by itself", async () => {
    at.open("first", "Something else");
    ({ link } = await startView(at.project.folder));
    list = await openPage(link);
    at.open(id, "Which color do the doors get?");
    await list.page.getByRole("link", { name: /Which color/ }).click();
    await list.page.getByRole("heading", { level: 1, name: /Which color/ }).waitFor();
    watched = list;
    list = await openTab(watched, `${link.split("#")[0]}#/`);
    await watched.page.evaluate("window.isSame = true");
  });

  it("shows each message with how far it came, as it comes", async () => {
    const { page } = watched;
    at.say(id, "claude", draft("REQUEST", "Red or **blue**?", { position: "Red" }));
    await page.getByText("Red or blue?").first().waitFor();
    const first = page.locator("article.message").first();
    await first.getByText("not seen").waitFor({ state: "attached" });
    next("gemini");
    await first.locator(".chips .reached", { hasText: "seen" }).waitFor();
    at.say(id, "gemini", draft("RESPONSE", "Blue.", { position: "Blue", confidence: 0.6 }));
    await first.locator(".chips .reached", { hasText: "answered" }).waitFor();
    await page.locator("article.message").nth(1).getByText("sure 0.6").waitFor();
  });

  it("takes a word for one side's next turn, once for two clicks", async () => {
    const { page } = watched;
    await page.getByLabel("Say something").fill("Blue is sold out.\nAsk for green.");
    await page.getByRole("combobox").selectOption("claude");
    await page.getByRole("button", { name: "Say it" }).dblclick();
    await page.locator("article.own", { hasText: "Blue is sold out." }).waitFor();
    assert.match(
      next("claude"),
      /Your user's own word[\s\S]*\| Blue is sold out\.\n\| Ask for green\./,
    );
    assert.doesNotMatch(next("gemini"), /sold out/);
    const said = at.project.events(id).filter(({ event }) => event === "said");
    assert.equal(said.length, 1);
    await page.locator("article.own .reached", { hasText: "seen by claude" }).waitFor();
    assert.equal(await page.locator("article.own").count(), 1, "a note is no act of the person");
  });

  it("pauses and resumes, in every page, and says who has not come to the pause", async () => {
    const { page } = watched;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("no further turn is given").waitFor();
    await page.getByText(/claude has not reached it yet/).waitFor();
    await list.page.getByText(/paused by you/).waitFor();
    await page.locator(".participants", { hasText: "claude may still end its turn" }).waitFor();
    assert.match(next("claude"), /paused/i);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("no further turn is given").waitFor({ state: "detached" });
    assert.doesNotMatch(next("claude"), /paused/i);
  });

  it("calls the person for what one side asks, and clears it in every page when they answer", async () => {
    const asks = { needs_user: "Do you mind green?" };
    at.say(id, "claude", draft("ESCALATE", "It is the owner's taste.", asks));
    await list.page.getByText('waits for your answer: "Do you mind green?"').waitFor();
    assert.equal(await list.page.title(), "(1) Consulta");
    const { page } = watched;
    await page
      .locator(".participants", { hasText: /You are asked for .*claude waits for you/ })
      .waitFor();
    await page.getByLabel("Your answer").fill("Green is fine.");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.locator("article.own", { hasText: "Green is fine." }).waitFor();
    await list.page.getByText(/waits for your answer/).waitFor({ state: "detached" });
    assert.match(next("gemini"), /Green is fine\./);
  });

  it("keeps what the person decided where the sides leave it to them", async () => {
    const { page } = watched;
    at.say(id, "gemini", draft("ESCALATE", "Green or grey: a matter of taste."));
    await page.getByLabel("What you decided").fill("Green, the dark one.");
    await page.getByRole("button", { name: "Decide" }).click();
    await page.locator(".decision", { hasText: "Green, the dark one." }).waitFor();
    await page.getByText("Decided by you.").waitFor();
    assert.equal(at.project.events(id).at(-1)?.["decision"], "Green, the dark one.");
    assert.match(at.done("report", ["--session", id]), /Green, the dark one\./);
    for (const name of ["claude", "gemini"])
      assert.match(next(name), /^<<< \S+ the user has decided \(.*\n\| Green, the dark one\.\n/m);
  });

  it("shows the session as it was after any event, by arrow keys, and changes nothing", async () => {
    const { page } = watched;
    const log = at.project.read("sessions", id, "events.jsonl");
    const slider = page.getByRole("slider", { name: "As of event" });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText(/As of event 1 of/).waitFor();
    await page.locator(message("2")).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await page.locator(message("2")).waitFor();
    assert.equal(await page.getByRole("button", { name: "Say it" }).count(), 0);
    await page.getByRole("button", { name: "To the newest event" }).click();
    await page.getByText(/^Ended, /).waitFor();
    assert.equal(at.project.read("sessions", id, "events.jsonl"), log);
  });

  it("ends a session in the person's own name, after its reason", async () => {
    await list.page.getByText(/claude has the turn for \d/).waitFor();
    const other = await openTab(watched, sessionLink(link, "first"));
    await other.page.getByRole("button", { name: "End it…" }).click();
    await other.page.getByLabel("Why it ends here").fill("Nobody needs it.");
    await other.page.getByRole("button", { name: "End the session" }).dblclick();
    const own = other.page.locator("article.own", { hasText: "You ended the session" });
    await own.getByText("Nobody needs it.").waitFor();
    await other.page.locator(".state:not(.good)", { hasText: "NOT DECIDED" }).waitFor();
    assert.match(at.project.next("first", "claude").stdout, /Nobody needs it/);
    assert.equal(at.project.acts("first").length, 2);
    assert.deepEqual(other.faults, []);
    await other.page.close();
  });

  it("was never reloaded, and the browser had nothing to complain of", async () => {
    assert.equal(await watched.page.evaluate("window.isSame"), true);
    assert.deepEqual([watched.faults, list.faults], [[], []]);
    assert.match(sessionLink(link, id), /paint$/);
  });
});
