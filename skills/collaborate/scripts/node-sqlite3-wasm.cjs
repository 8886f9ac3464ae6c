/*93e67a8afa4b2efa8178e56a280353966a828192a139d2b57fdaad7ca0fd0bc4*/module.exports = require("../../brain/scripts/node-sqlite3-wasm.cjs");
