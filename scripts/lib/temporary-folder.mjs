import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { alive } from './lock.mjs'

const SHARED = '/dev/shm'
const NAME = 'amodal-test-'
/** Bytes that must be free in memory for tests to keep their files there. */
const ENOUGH = 6 * 1024 ** 3

/**
 * Where tests have their temporary files: in memory, where this machine has room for it, since
 * databases on a disk take a fifth of all time; otherwise `undefined`, for the usual place.
 */
export const temporaryFolder = hasRoom() ? join(SHARED, `${NAME}${process.pid}`) : undefined

function hasRoom() {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(SHARED)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === SHARED)
    return bavail * bsize >= ENOUGH && mount !== undefined && !mount.includes('noexec')
  } catch {
    return false
  }
}

/** Whoever was killed has left its folder, which takes memory. */
function forgetAbandoned() {
  for (const name of readdirSync(SHARED))
    if (name.startsWith(NAME) && !alive(Number(name.slice(NAME.length))))
      rmSync(join(SHARED, name), { recursive: true, force: true })
}

export default function setup() {
  if (temporaryFolder === undefined) return undefined
  forgetAbandoned()
  mkdirSync(temporaryFolder)
  chmodSync(temporaryFolder, 0o1777) // a database runs as another user
  return () => rmSync(/** @type {string} */ (temporaryFolder), { recursive: true, force: true })
}
