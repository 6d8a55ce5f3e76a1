import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 100
const HEARTBEAT_MS = 2_000
const SILENT_MS = 30_000

/**
 * Do `work` while no other process does, with a lock that does not survive its holder.
 *
 * The file names the processes that work under it. A lock is abandoned when all of them are gone,
 * or when its heartbeat stopped long ago: a process id may have been given to somebody else by
 * then.
 *
 * @template T
 * @param {string} file
 * @param {(alsoHeldBy: (pid: number) => void) => Promise<T>} work tells which child works under the
 *   lock, so that a child which outlives a killed holder still counts
 * @param {() => void} [onWait] called once when somebody else holds it
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait = () => {}) {
  const id = randomUUID()
  const content = (/** @type {number[]} */ pids) => JSON.stringify({ id, pids })
  for (let waited = false; !take(file, content([process.pid])); waited = true) {
    if (!waited) onWait()
    await sleep(RETRY_MS)
  }
  const heartbeat = setInterval(() => utimes(file, new Date(), new Date(), () => {}), HEARTBEAT_MS)
  const release = () => rmSync(file, { force: true })
  process.on('exit', release)
  try {
    return await work((pid) => writeFileSync(file, content([process.pid, pid])))
  } finally {
    clearInterval(heartbeat)
    process.off('exit', release)
    release()
  }
}

/** @param {string} file @param {string} content */
function take(file, content) {
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const held = read(file)
    if (held !== undefined && abandoned(held)) bury(file, held.text)
    return false
  }
}

/**
 * Two that wait may find the same dead lock. The rename lets one of them remove it; the slower one
 * may catch the new owner's lock instead, sees that by its content, and puts it back.
 *
 * @param {string} file @param {string} text
 */
function bury(file, text) {
  const grave = `${file}.${randomUUID()}`
  try {
    renameSync(file, grave)
    if (readFileSync(grave, 'utf8') === text) rmSync(grave)
    else renameSync(grave, file)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error // somebody was faster
  }
}

/** @param {string} file @returns {{ text: string, silentMs: number } | undefined} */
function read(file) {
  try {
    return { text: readFileSync(file, 'utf8'), silentMs: Date.now() - statSync(file).mtimeMs }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** @param {{ text: string, silentMs: number }} held */
function abandoned({ text, silentMs }) {
  if (silentMs > SILENT_MS) return true
  try {
    return !JSON.parse(text).pids.some(alive)
  } catch {
    return false // just being written; if its writer died there, the silence tells
  }
}

/**
 * Whether a process is there.
 *
 * @param {number} pid
 */
export function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined)
