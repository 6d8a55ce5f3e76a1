import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { watchParents } from './parents.mjs'
import { Stopped } from './stopped.mjs'

// what a child may take to end before it is killed, where nobody is there to decide that
const GRACE_MS = 15_000
const PIPE_MS = 2_000
const SAME_SIGNAL_MS = 1_000 // npm, its shell and a process group pass one signal on several times

/**
 * @typedef {object} ChildOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {boolean} [capture] keep stdout and stderr instead of showing them
 * @property {number} [deadlineMs] stop the child after so long
 * @property {(pid: number) => void} [onStart]
 *
 * @typedef {object} Ended
 * @property {number} code exit code of the child, or 128 + signal number
 * @property {string} output what it said, when captured
 * @property {string} [stoppedBy] why it was stopped: a signal, `orphaned` or `deadline`
 */

/**
 * Run a child to its end and return its exit code, with its output shown as it comes.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ChildOptions} options
 * @returns {Promise<number>}
 */
export async function runChild(command, args, options) {
  return (await childResult(command, args, options)).code
}

/**
 * Run a child to its end. It never outlives its reason: a signal to this process goes on to the
 * child, and so does the death of npm, which kills only the shell between.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ChildOptions} options
 * @returns {Promise<Ended>} rejects with `Stopped` when the command cannot be started
 */
export function childResult(command, args, { cwd, env, capture = false, deadlineMs, onStart }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    /** @type {Buffer[]} */
    const output = []
    child.stdout?.on('data', (chunk) => output.push(chunk))
    child.stderr?.on('data', (chunk) => output.push(chunk))

    /** @type {string | undefined} */
    let stoppedBy
    let lastStop = 0
    /** @type {NodeJS.Timeout | undefined} */
    let killer
    /** @param {string} reason @param {NodeJS.Signals} [signal] */
    const stop = (reason, signal = 'SIGTERM') => {
      if (Date.now() - lastStop < SAME_SIGNAL_MS) return
      const isFirst = lastStop === 0
      lastStop = Date.now()
      stoppedBy ??= reason
      // Ctrl-C reaches the whole foreground group; sent on, the child would take it for an
      // impatient second one.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
      // How long a server drains is its own setting; whoever sent the first signal can send a
      // second one.
      if (isFirst && reason === signal) return
      killer ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    }

    const onSignal = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP']).map(
      (signal) => ({ signal, forward: () => stop(signal, signal) }),
    )
    const killAtExit = () => child.kill('SIGKILL')
    for (const { signal, forward } of onSignal) process.on(signal, forward)
    process.on('exit', killAtExit)

    const unwatch = watchParents(() => {
      if (stoppedBy === undefined) stop('orphaned')
    })
    const deadline =
      deadlineMs === undefined ? undefined : setTimeout(() => stop('deadline'), deadlineMs)

    const settle = () => {
      for (const { signal, forward } of onSignal) process.off(signal, forward)
      process.off('exit', killAtExit)
      unwatch()
      clearTimeout(deadline)
      clearTimeout(killer)
    }
    child.once('spawn', () => {
      if (child.pid !== undefined) onStart?.(child.pid)
    })
    child.once('error', (error) => {
      settle()
      reject(new Stopped(`cannot run ${command}: ${error.message}`))
    })
    /** @param {number | null} code @param {NodeJS.Signals | null} signal */
    const end = (code, signal) => {
      settle()
      resolve({
        code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        output: Buffer.concat(output).toString(),
        ...(stoppedBy === undefined ? {} : { stoppedBy }),
      })
    }
    child.once('close', end)
    // A process that the child left behind may hold its pipes open for ever.
    child.once('exit', (code, signal) => setTimeout(end, PIPE_MS, code, signal).unref())
  })
}
