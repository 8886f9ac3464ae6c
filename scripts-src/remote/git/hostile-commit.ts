import type { ConsultaError } from "../../base/errors.ts";
import { forged } from "../refusals.ts";

/** Says of a commit that nothing from it on is taken: no script of Consulta made it so. `fault` follows its name. */
export function hostileCommit(commit: string, fault: string): ConsultaError {
  const remedy = "ask who pushed it, and have the ref put back to the commit before it";
  return forged(`commit ${commit} ${fault}`, remedy);
}
