import { race } from "./races.ts";

race(1);
