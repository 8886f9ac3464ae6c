declare const CONSULTA_VERSION: string;

/** Of package.json, put in by the build. */
export const packVersion = CONSULTA_VERSION;
