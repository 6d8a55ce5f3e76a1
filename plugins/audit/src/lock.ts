import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { messageOf, type Result, trySync } from '@amodal/sdk'

/**
 * Acquires a lock file. Returns an `Err` while another process holds it. A lock whose process on
 * this machine has died is released.
 *
 * @param staleMs after which a lock of another machine is considered stale: far more than the work
 *   takes
 * @param now ms since the epoch
 * @returns a function that releases the lock
 */
export function acquireLock(
  file: string,
  staleMs: number,
  now: number,
): Result<() => void, string> {
  const opened = trySync(() => {
    writeFileSync(file, `${hostname()} ${process.pid}`, { flag: 'wx', mode: 0o600 })
  }, messageOf)
  if (opened.ok)
    return {
      ok: true,
      value: () => {
        rmSync(file, { force: true })
      },
    }
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (since !== undefined && (now - since > staleMs || isDead(file))) rmSync(file, { force: true })
  return opened
}

function isDead(file: string): boolean {
  const read = trySync(() => readFileSync(file, 'utf8'), messageOf)
  const [host, pid] = read.ok ? read.value.split(' ') : []
  return host === hostname() && pid !== undefined && !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0) // tests whether the process exists, and sends nothing
    return true
  } catch (cause) {
    return !(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')
  }
}
