// What escape-html leaves as it is.
const escapeHtml = require("./index.js");

for (const text of ['"><script>', "x onmouseover=alert(1)", "javascript:alert(1)", "`x`"]) {
  const escaped = escapeHtml(text);
  console.log(`${text} -> ${escaped}${escaped === text ? " (unchanged)" : ""}`);
}
