// What ms() returns for durations that people write into config files, and what setTimeout makes of it.
const ms = require("./index.js");

process.removeAllListeners("warning");

async function main() {
  const texts = ["30s", "2 hours", "1 month", "5 mins later", "-1h", "30d"];
  const lines = texts.map(async (text) => {
    const value = ms(text);
    return `${JSON.stringify(text)} -> ${value}, setTimeout ${await timerOf(value)}`;
  });
  for (const line of lines) console.log(await line);
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
