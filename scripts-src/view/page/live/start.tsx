import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./route.ts";

/** In the live page the address names the session: a link to one of its events moves the view alone. */
function followRef(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#seq-"]') : null;
  const item = document.getElementById(link?.getAttribute("href")?.slice(1) ?? "");
  if (link === null || item === null) return;
  event.preventDefault();
  item.querySelector("details")?.setAttribute("open", "");
  item.scrollIntoView({ block: "center" });
  item.focus({ preventScroll: true });
}

const place = document.getElementById("page");
// Before anything looks at the address.
const token = takeToken();
addEventListener("click", followRef);
if (place !== null) render(<App token={token} />, place);
