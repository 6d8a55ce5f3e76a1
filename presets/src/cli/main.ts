import { resolve } from 'node:path'
import { silentLogger } from '@amodal/kernel'
import type { Running } from '@amodal/sdk'
import type { Command, CommandContext, CommandTerminal } from '@amodal/sdk'
import { explainStart } from '../config/explain.ts'
import type { FolderOptions } from '../config/folder.ts'
import { startFolder, startParts } from '../config/start.ts'
import { readArguments, readPlace, type Arguments } from './arguments.ts'
import { noCommand } from './no-command.ts'
import { wiringIssues } from '../config/wiring-issues.ts'
import { openCommands, type OpenCommands } from './commands.ts'
import { commandHelp, overview } from './help.ts'

/** What the command line needs of the process it runs in. */
export interface Terminal {
  /** Without the program. */
  readonly argv: readonly string[]
  /** Of the package, for `--version`. */
  readonly version?: string
  /** Folder of the documentation, for `amodal docs`. */
  readonly docs?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  readonly fail: (text: string) => void
  readonly input: AsyncIterable<string>
  /** A person types the input. */
  readonly interactive?: boolean
  /** Where both the input and the output are a terminal. */
  readonly terminal?: CommandTerminal
  /** Aborts when the person has had enough: the command ends in good order. */
  readonly signal: AbortSignal
}

/**
 * Runs one command line.
 *
 * @returns the exit code: 0 done, 1 it failed, 2 the command line was wrong, 130 it was interrupted
 */
export async function main(terminal: Terminal): Promise<number> {
  const { words, dir, preset, version } = readPlace(terminal.argv)
  const [first, ...rest] = words
  if (version) {
    terminal.write(`${terminal.version ?? 'unknown'}\n`)
    return 0
  }
  const folder: FolderOptions = {
    dir,
    env: terminal.env,
    ...(preset !== undefined && { preset }),
    ...(first === START && { otherwise: 'production' }),
  }
  const open = await openCommands(folder, terminal.docs)
  try {
    if (first === undefined || (first === 'help' && rest.length === 0)) return help(terminal, open)
    return first === 'help'
      ? await dispatch(terminal, open, rest, true)
      : await dispatch(terminal, open, words, false)
  } finally {
    await open.close()
  }
}

const START = 'start'
/** Serve for others, so that they take `production` where nothing else is named. */
const SERVES_OTHERS: readonly string[] = [START, 'deploy serve']
const SERVES: readonly string[] = ['dev', ...SERVES_OTHERS]

const INTERRUPTED = 130

/** What a person types to get here: the packages are run from a clone, through npm. */
const programOf = ({ env }: Terminal): string =>
  env['npm_lifecycle_event'] === 'amodal' ? 'npm run amodal --' : 'amodal'

function help(terminal: Terminal, { commands }: OpenCommands): number {
  const read = readArguments(terminal.argv, {}, 1, terminal.env)
  if (!read.ok) return refuse(terminal, read.error.message)
  terminal.write(`${overview(commands, programOf(terminal))}\n`)
  return 0
}

async function dispatch(
  terminal: Terminal,
  open: OpenCommands,
  words: readonly string[],
  asksForHelp: boolean,
): Promise<number> {
  const { commands, problem } = open
  // A name may have two words, such as `ops audit`.
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => commands.has(one))
  const command = name === undefined ? undefined : commands.get(name)
  if (name === undefined || !command) {
    return refuse(
      terminal,
      `${noCommand(words, [...commands.keys()])}${problem ? `\nThe plugins of this folder could not be asked for theirs. ${explainStart(problem)}` : ''}`,
    )
  }
  if (asksForHelp) return show(terminal, name, command)
  const read = readArguments(terminal.argv, command.options, name.split(' ').length, terminal.env)
  if (!read.ok)
    return refuse(
      terminal,
      `${read.error.message}\n\n${commandHelp(name, command, programOf(terminal))}`,
    )
  return read.value.help
    ? show(terminal, name, command)
    : run(terminal, open, name, command, read.value)
}

function show(terminal: Terminal, name: string, command: Command): number {
  terminal.write(`${commandHelp(name, command, programOf(terminal))}\n`)
  return 0
}

function refuse(terminal: Terminal, message: string): number {
  terminal.fail(`amodal: ${message}\n`)
  return 2
}

async function run(
  terminal: Terminal,
  { problem }: OpenCommands,
  name: string,
  command: Command,
  given: Arguments,
): Promise<number> {
  const running: Pick<Running, 'close'>[] = []
  const { env, input, interactive = false, signal, write } = terminal
  const fail = (text: string): void => terminal.fail(`${text}\n`)
  const context: CommandContext = {
    options: given.options,
    arguments: given.words,
    dir: resolve(given.dir),
    wiring: wiringIssues(problem),
    env,
    input,
    interactive,
    ...(terminal.terminal && { terminal: terminal.terminal }),
    signal,
    write,
    fail,
    program: programOf(terminal),
    print: (text) => write(`${text}\n`),
    log: silentLogger,
    start: async ({
      dir,
      stateDir,
      without,
      only,
      entries,
      host,
      port,
      logLevel = 'warn',
      looking,
    } = {}) => {
      const options: FolderOptions = {
        ...folderOptions(given, SERVES.includes(name) ? undefined : logLevel),
        ...(SERVES_OTHERS.includes(name) && { otherwise: 'production' }),
        env,
        ...(dir !== undefined && { dir: resolve(dir) }),
        ...(stateDir !== undefined && { stateDir: resolve(stateDir) }),
        ...(without && { without }),
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(entries && { entries }),
        ...(looking !== undefined && { inMemory: looking }),
      }
      const started = only ? await startParts(options, only) : await startFolder(options)
      if (!started.ok) throw new StartFailed(explainStart(started.error))
      running.push(started.value)
      return started.value.kernel
    },
  }
  try {
    return await command.run(context)
  } catch (cause) {
    if (signal.aborted) return INTERRUPTED
    fail(
      cause instanceof StartFailed
        ? cause.message
        : `amodal ${name} failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    )
    return 1
  } finally {
    for (const one of running) await one.close('command ended')
  }
}

/**
 * @param level of the log where none is asked for: a command that prints its own output is not to
 *   be drowned in it
 */
function folderOptions(
  { dir, port, host, preset, level }: Arguments,
  otherwise: string | undefined,
): Omit<FolderOptions, 'env'> {
  const logLevel = level ?? otherwise
  return {
    dir,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(preset !== undefined && { preset }),
    ...(logLevel !== undefined && { logLevel }),
  }
}

/** Its message is for the person at the terminal. */
class StartFailed extends Error {
  override readonly name = 'StartFailed'
}
