import { race } from "./races.ts";

/** The bench sets more. */
race(Number(process.env["CONSULTA_ROUNDS"] ?? "3"));
