/**
 * Whether a program that tests need is there; they are skipped where it is not. With CONSULTA_NO_SKIPS=1,
 * which `.ci/run` sets where it can install them all, one that is missing is an error.
 */
export function isInstalled(program: string, isThere: boolean): boolean {
  if (!isThere && process.env["CONSULTA_NO_SKIPS"] === "1")
    throw new Error(
      `${program} is missing, and CONSULTA_NO_SKIPS=1 lets no test be skipped for it`,
    );
  return isThere;
}
