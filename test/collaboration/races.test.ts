import { raceBeginnings, raceBlocks, raceReviewers, readDuringWrites } from "./races.ts";

raceReviewers(1);
raceBeginnings(1);
readDuringWrites(1);
raceBlocks(1);
