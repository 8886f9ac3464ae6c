import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { isWithin } from "../../scripts-src/files/safe-path.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

it("knows what is below a folder by its name or where links lead", () => {
  const scratch = makeScratchFolder();
  const [project, outside] = [join(scratch, "project"), join(scratch, "outside")];
  for (const folder of [join(project, "bin"), outside, join(project, "..x")])
    mkdirSync(folder, { recursive: true });
  symlinkSync(outside, join(project, "out"));
  symlinkSync(join(project, "bin"), join(scratch, "in"));
  symlinkSync(project, join(scratch, "other-name"));
  for (const below of ["", "bin", "..x", "out", "missing"])
    assert(isWithin(join(project, below), project), below);
  assert(isWithin(join(scratch, "in"), project));
  assert(isWithin(join(project, "bin"), join(scratch, "other-name")));
  for (const beside of ["outside", "project2", "projec", "."])
    assert(!isWithin(join(scratch, beside), project), beside);
});
