import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { messageOf, type Result, trySync } from '@amodal/sdk'

/**
 * Takes a file for as long as something is written beside it. An `Err` says that somebody else has it.
 *
 * @param staleMs after which whoever has it is taken to have died: far more than the work takes
 * @returns how to give it back
 */
export function takeLock(file: string, staleMs: number, now: number): Result<() => void, string> {
  const opened = trySync(() => { closeSync(openSync(file, 'wx', 0o600)) }, messageOf)
  if (opened.ok) return { ok: true, value: () => { rmSync(file, { force: true }) } }
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (since !== undefined && now - since > staleMs) rmSync(file, { force: true })
  return opened
}
