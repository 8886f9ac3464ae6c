import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./route.ts";

const place = document.getElementById("page");
// Before anything looks at the address.
const token = takeToken();
if (place !== null) render(<App token={token} />, place);
