import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  err,
  failure,
  messageOf,
  ok,
  timeLimit,
  tryAsync,
  type CommandContext,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { textEnd } from '@amodal/sdk/data'

const LIMIT_MS = 300_000
const MOST_SHOWN = 2_000

/**
 * Runs npm in the agent's folder.
 *
 * @returns what it printed; `NOT_FOUND` if npm is not installed, `TIMEOUT` after five minutes, else
 *   `PLUGIN_NOT_FOUND` with the end of its output
 */
export async function npm(
  args: readonly string[],
  { dir, env, signal }: Pick<CommandContext, 'dir' | 'env' | 'signal'>,
): Promise<Result<string, Failure>> {
  const limit = timeLimit(LIMIT_MS, `npm ${args[0]}`, signal)
  const isWindows = process.platform === 'win32'
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', [...args], {
    cwd: dir,
    env: { ...env },
    shell: isWindows, // the only way to run a .cmd
    signal: limit,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, output] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = await tryAsync(
    () => once(child, 'close') as Promise<[code: number | null]>, // by its documentation
    messageOf,
  )
  if (limit.aborted)
    return err(failure('TIMEOUT', `npm ${args[0]} took longer than ${LIMIT_MS} ms`))
  if (!ended.ok) return err(failure('NOT_FOUND', `npm cannot be run: ${ended.error}`))
  const [code] = ended.value
  if (code === 0) return ok(out)
  const result = textEnd((output.trim() === '' ? out : output).trim(), MOST_SHOWN)
  return err(failure('PLUGIN_NOT_FOUND', `npm ${args[0]} failed:\n${result}`, { details: { out } }))
}
