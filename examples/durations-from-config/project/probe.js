// What ms() returns for durations that people write into config files.
const ms = require("./index.js");

for (const text of ["30s", "2 hours", "1 month", "5 mins later", "-1h", " 10s"]) {
  console.log(`${JSON.stringify(text)} -> ${ms(text)}`);
}
