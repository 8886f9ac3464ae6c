import { raceBeginnings, raceBlocks, raceReviewers, readDuringWrites } from "./races.ts";

/** The bench sets more. */
const rounds = Number(process.env["CONSULTA_ROUNDS"] ?? "3");
/** Of the other races half as many tell as much. */
const fewer = Math.ceil(rounds / 2);

raceReviewers(rounds);
raceBeginnings(fewer);
readDuringWrites(fewer);
raceBlocks(fewer);
