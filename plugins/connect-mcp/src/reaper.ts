import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Each line names the groups that are alive; when the pipe ends because this process died, those of
 * the last line end.
 */
const SCRIPT = `trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
[ -z "$groups" ] && exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done`

/**
 * Ends child processes whose server died without a chance to do so itself (`SIGKILL`, out of
 * memory): a shell that waits at the other end of a pipe. Where there is no shell, children notice
 * by themselves that their input ended, or not.
 */
export class Reaper {
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined
  #closed = false

  /** @returns what to call when the group is gone */
  watch(group: number): () => void {
    this.#groups.add(group)
    this.#write()
    return () => {
      if (this.#groups.delete(group)) this.#write()
    }
  }

  close(): void {
    this.#closed = true
    this.#shell?.stdin?.end()
    this.#shell = undefined
  }

  #write(): void {
    if (this.#closed || process.platform === 'win32') return
    this.#shell ??= this.#start()
    this.#shell.stdin?.write(`${[...this.#groups].join(' ')}\n`)
  }

  #start(): ChildProcess {
    // A group of its own: what ends this process from a terminal must not end the shell before it
    // has done its work.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
    })
    shell.on('error', () => undefined)
    shell.stdin.on('error', () => undefined)
    shell.unref()
    // Neither the shell nor its pipe keeps this process alive.
    if (isSocket(shell.stdin)) shell.stdin.unref()
    return shell
  }
}

const isSocket = (pipe: object): pipe is Socket => 'unref' in pipe
