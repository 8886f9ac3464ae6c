/** The first Node whose own SQLite has the full-text search that the brain needs. */
const least = { major: 22, minor: 16 };

/** Whether a Node of this version, such as `22.16.0`, can run the brain. */
export function canRunBrain(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > least.major || (major === least.major && minor >= least.minor);
}
