declare const CONSULTA_VERSION: string | undefined;

/** Of package.json, put in by the build; what is run from the sources has none. */
export const packVersion = typeof CONSULTA_VERSION === "undefined" ? "0.0.0" : CONSULTA_VERSION;
