import { raceEqualWriters } from "./equal-events.ts";

/** 200 take five minutes on a quiet machine with two cores. */
raceEqualWriters(Number(process.env["CONSULTA_EQUAL_ROUNDS"] ?? "2"));
