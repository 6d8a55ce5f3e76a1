import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { err, messageOf, ok, timeLimit, tryAsync, type Result } from '@amodal/sdk'

/** ms that git is given. */
const LIMIT_MS = 60_000

/**
 * Runs git in a folder.
 *
 * @param lines for its input
 * @returns what it prints, or why it failed: what it says itself, where it says something
 */
export async function git(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
  lines: readonly string[] = [],
): Promise<Result<Buffer, string>> {
  const limit = timeLimit(LIMIT_MS, `git ${args[0]}`, signal)
  const child = spawn('git', ['-C', folder, ...args], {
    signal: limit,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  let errors = ''
  child.stdout.on('data', (part: Buffer) => output.push(part))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  // A git that ends early closes its input: its errors say why.
  child.stdin.on('error', () => undefined)
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const ended = await tryAsync(
    () => once(child, 'close') as Promise<[code: number | null]>, // by its documentation
    messageOf,
  )
  if (limit.aborted) return err(signal.aborted ? 'interrupted' : `took longer than ${LIMIT_MS} ms`)
  if (!ended.ok) return err(`git cannot be run: ${ended.error}`)
  const [code] = ended.value
  return code === 0 ? ok(Buffer.concat(output)) : err(errors.trim() || `git ended with ${code}`)
}
