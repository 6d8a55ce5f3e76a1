import { readFileSync } from 'node:fs'

const CHECK_MS = 500
const atStart = parents()

/**
 * Call `onDeath` once when npm, or the shell that it started us with, has died. A signal to npm
 * kills at most its shell, and SIGKILL not even that, so nobody else tells.
 *
 * Only below npm: a runner that was started by hand with nohup may lose its shell and should go on.
 *
 * @param {() => void} onDeath
 * @returns {() => void} stop watching
 */
export function watchParents(onDeath) {
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const timer = setInterval(() => {
    if (parents() === atStart) return
    clearInterval(timer)
    onDeath()
  }, CHECK_MS)
  return () => clearInterval(timer)
}

/**
 * Our parent, and npm behind it where the parent is the shell `sh -c` of npm: most shells replace
 * themselves, dash stays.
 */
function parents() {
  const parent = process.ppid
  try {
    const isShell = readFileSync(`/proc/${parent}/cmdline`, 'utf8').split('\0')[1] === '-c'
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8')
    return isShell ? `${parent} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}` : `${parent}`
  } catch {
    return `${parent}` // no /proc here
  }
}
