import { resolve } from 'node:path'
import { err, ok, silentLogger, startAgent, use, type Entry, type Result, type StartOptions } from '@amodal/kernel'
import logJson from '@amodal/plugin-log-json'
import { Commands, type Command, type CommandContext } from '@amodal/sdk'
import { explainStart } from '../config/explain.ts'
import { readFolder, startFolder, type FolderError, type FolderOptions } from '../config/start.ts'
import { loadPreset } from '../config/entries.ts'
import { parseCommand, type Parsed } from './arguments.ts'
import { commandHelp, overview } from './help.ts'

/** What the command line needs of the process it runs in. */
export interface Terminal {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  readonly fail: (text: string) => void
  readonly input: AsyncIterable<string>
  readonly signal: AbortSignal
}

/** Exit codes: 0 done, 1 it failed, 2 the command line was wrong. */
export async function main(terminal: Terminal): Promise<number> {
  const [name = '', ...rest] = terminal.argv
  const asked = name === '' || name.startsWith('-') || name === 'help'
  const loose = parseCommand(asked ? terminal.argv : rest, undefined, terminal.env)
  if (!loose.ok) return refuse(terminal, loose.error.message)
  const listed = await commandsOf(loose.value, terminal)
  if (!listed.ok && !asked && name !== 'help') {
    terminal.fail(`${explainStart(listed.error)}\n`)
    return 1
  }
  const commands = listed.ok ? listed.value : new Map<string, Command>()
  if (asked) {
    terminal.write(`${overview(commands)}\n`)
    return 0
  }
  const command = commands.get(name)
  if (!command) return refuse(terminal, `there is no command "${name}" (there are: ${[...commands.keys()].sort().join(', ')})`)
  const parsed = parseCommand(rest, command, terminal.env)
  if (!parsed.ok) return refuse(terminal, `${parsed.error.message}\n\n${commandHelp(name, command)}`)
  if (parsed.value.help) {
    terminal.write(`${commandHelp(name, command)}\n`)
    return 0
  }
  return run(name, command, parsed.value, terminal)
}

function refuse(terminal: Terminal, message: string): number {
  terminal.fail(`amodal: ${message}\n`)
  return 2
}

const folderOptions = (parsed: Parsed, env: Terminal['env']): FolderOptions => ({
  dir: parsed.dir, preset: parsed.preset ?? 'dev', env,
  ...(parsed.port === undefined ? {} : { port: parsed.port }), ...(parsed.host === undefined ? {} : { host: parsed.host }),
})

/** Commands are what the plugins of the folder say, so they are set up, but nothing is started. */
async function commandsOf(parsed: Parsed, { env }: Terminal): Promise<Result<ReadonlyMap<string, Command>, FolderError>> {
  const folder = await readFolder(folderOptions(parsed, env))
  let entries: readonly Entry[]
  let options: StartOptions = { env }
  if (folder.ok) ({ entries, options = { env } } = folder.value)
  else {
    // A folder that cannot be read still has `validate`, which says what is wrong with it.
    const preset = await loadPreset('dev')
    if (!preset.ok) return err({ kind: 'config', failure: preset.error })
    entries = [...preset.value.entries]
  }
  const made = await startAgent(entries, { ...options, dry: true })
  if (!made.ok) return folder.ok ? made : folder
  const commands = new Map(made.value.kernel.current().registry(Commands))
  await made.value.close('listed')
  return ok(commands)
}

async function run(name: string, command: Command, parsed: Parsed, terminal: Terminal): Promise<number> {
  const running: { close: (reason?: string) => Promise<void> }[] = []
  // Only a server tells what it does; the others print their own output.
  const level = parsed.level ?? (name === 'dev' ? undefined : 'warn')
  const context: CommandContext = {
    options: parsed.options, arguments: parsed.arguments, dir: resolve(parsed.dir), env: terminal.env,
    print: (text) => terminal.write(`${text}\n`), write: terminal.write, fail: (text) => terminal.fail(`${text}\n`),
    input: terminal.input, log: silentLogger, signal: terminal.signal,
    start: async (change = {}) => {
      const entries = [...level === undefined ? [] : [use(logJson, { level })], ...change.entries ?? []]
      const started = await startFolder({ ...folderOptions(parsed, terminal.env), entries, inMemory: change.looking === true, ...(change.without ? { without: change.without } : {}) })
      if (!started.ok) throw new StartFailed(explainStart(started.error))
      running.push(started.value)
      return started.value.kernel
    },
  }
  try {
    return await command.run(context)
  } catch (cause) {
    terminal.fail(`${cause instanceof StartFailed ? cause.message : `amodal ${name} failed: ${cause instanceof Error ? cause.stack ?? cause.message : String(cause)}`}\n`)
    return 1
  } finally {
    for (const one of running) await one.close('command ended')
  }
}

/** Its message is for the person at the terminal. */
class StartFailed extends Error {
  override readonly name = 'StartFailed'
}

