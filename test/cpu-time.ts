/** The CPU that this process has used, in ms: other than the clock, it does not run while others work. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
