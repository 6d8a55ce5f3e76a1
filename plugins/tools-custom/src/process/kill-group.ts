import type { ChildProcess } from 'node:child_process'

/** Ends a process that leads a group of its own, and all that it has started in it. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return // it never began
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // There is nobody left.
  }
}
