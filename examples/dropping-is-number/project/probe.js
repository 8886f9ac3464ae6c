// Where is-number and Number.isFinite differ.
const isNumber = require("./index.js");

for (const value of [5, "5", " 5 ", "5px", "", null, Number.NaN, Number.POSITIVE_INFINITY]) {
  const both = [isNumber(value), Number.isFinite(value)];
  console.log(`${JSON.stringify(value)}: ${both.join(" and ")}${both[0] === both[1] ? "" : " DIFFER"}`);
}
