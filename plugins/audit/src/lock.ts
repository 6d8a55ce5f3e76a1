import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { messageOf, type Result, trySync } from '@amodal/sdk'

/**
 * Takes a file for as long as something is written beside it. An `Err` says that somebody else has
 * it. Whoever died with it, on this machine, has it no longer.
 *
 * @param staleMs after which whoever has it elsewhere is taken to have died: far more than the work
 *   takes
 * @param now ms since the epoch
 * @returns how to give it back
 */
export function takeLock(file: string, staleMs: number, now: number): Result<() => void, string> {
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
    process.kill(pid, 0) // asks whether there is one, and sends nothing
    return true
  } catch (cause) {
    return !(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')
  }
}
