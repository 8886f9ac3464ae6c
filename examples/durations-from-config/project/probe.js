// What ms() returns for durations that people write into config files, and what setTimeout makes of it.
const ms = require("./index.js");

process.removeAllListeners("warning");

async function main() {
  for (const text of ["30s", "2 hours", "1 month", "5 mins later", "-1h", "30d"]) {
    const value = ms(text);
    console.log(`${JSON.stringify(text)} -> ${value}, setTimeout ${await timerOf(value)}`);
  }
}

function timerOf(value) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("fires at once"), value);
    setTimeout(() => {
      clearTimeout(timer);
      resolve("waits");
    }, 200);
  });
}

main();
