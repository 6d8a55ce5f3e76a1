/** Does `work` while no other process does, with a lock that does not survive its holder. */
export function withLock<T>(
  file: string,
  work: (alsoHeldBy: (pid: number) => void) => Promise<T>,
  onWait?: () => void,
): Promise<T>
