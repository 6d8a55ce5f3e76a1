import { parseArgs } from 'node:util'
import { err, messageOf, ok, type Failure, type Result } from '@amodal/kernel'
import { failure } from '@amodal/sdk'
import type { CommandContext, CommandOption } from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'

type Options = Readonly<Record<string, CommandOption>>
type Env = Readonly<Record<string, string | undefined>>

/** Options every command understands. */
export const GLOBAL: Options = {
  dir: { type: 'string', description: 'Folder of the agent (the current one)' },
  preset: {
    type: 'string',
    description: 'embedded, dev or production (as amodal.json says, or dev)',
  },
  verbose: {
    type: 'boolean',
    short: 'v',
    description: 'Log more; -vv logs everything',
    multiple: true,
  },
  quiet: {
    type: 'boolean',
    short: 'q',
    description: 'Log errors only; dev and test-query also print less',
  },
  help: { type: 'boolean', short: 'h', description: 'Show this text' },
  version: { type: 'boolean', short: 'V', description: 'Show the version' },
}

/** Options of commands that serve, which people also write before the command. */
const SERVING = ['port', 'host'] as const

/** What stands on a command line. */
export interface Arguments {
  readonly options: CommandContext['options']
  /** What is no option: without the command itself. */
  readonly words: readonly string[]
  readonly dir: string
  readonly port?: number
  readonly host?: string
  readonly preset?: string
  /** Asked for with -v or -q. */
  readonly level?: 'error' | 'debug' | 'trace'
  readonly help: boolean
}

/** Where to look for commands; other errors are reported once the command is known. */
export interface Place {
  /** What begins with the name of the command. */
  readonly words: readonly string[]
  readonly dir: string
  readonly preset?: string
  /** Asked for with --version. */
  readonly version: boolean
}

export function readPlace(argv: readonly string[]): Place {
  const serving = SERVING.map((name) => [name, { type: 'string' }] as const)
  const options = { ...parseable(GLOBAL), ...Object.fromEntries(serving) }
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const { dir, preset, version } = values
  // A word behind an option of the command may be its value: `eval --file promote`.
  const own = tokens.findIndex(
    (token) => token.kind === 'option' && !Object.hasOwn(options, token.name),
  )
  const leading = (own === -1 ? tokens : tokens.slice(0, own)).flatMap((token) =>
    token.kind === 'positional' ? [token.value] : [],
  )
  return {
    words: leading.length > 0 ? leading : positionals,
    dir: typeof dir === 'string' ? dir : '.',
    version: version === true,
    ...(typeof preset === 'string' && { preset }),
  }
}

/**
 * Reads the options of a command and those of every command.
 *
 * @param skip words that name the command
 * @returns `VALIDATION_ERROR` for an option that does not exist, or a value that does not fit
 */
export function readArguments(
  argv: readonly string[],
  options: Options,
  skip: number,
  env: Env,
): Result<Arguments, Failure> {
  const all = { ...GLOBAL, ...options }
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: parseable(all),
      allowPositionals: true,
    })
    const text = (name: string): string | undefined => {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    }
    const [host, preset, level] = [text('host'), text('preset'), levelOf(values)]
    const port =
      text('port') === undefined
        ? portOf('PORT', env['PORT'] ?? '')
        : portOf('--port', text('port') ?? '')
    if (!port.ok) return port
    return ok({
      options: { ...defaultsOf(all), ...values },
      words: positionals.slice(skip),
      dir: text('dir') ?? '.',
      help: values['help'] === true,
      ...(port.value !== undefined && { port: port.value }),
      ...(host !== undefined && { host }),
      ...(preset !== undefined && { preset }),
      ...(level && { level }),
    })
  } catch (cause) {
    return err(failure('VALIDATION_ERROR', explained(messageOf(cause), all)))
  }
}

/**
 * What is wrong with an option, with the option that was probably meant in place of the advice for
 * words that begin with a dash.
 */
function explained(message: string, options: Options): string {
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)
  if (!unknown?.[1]) return message
  const meant = didYouMean(
    unknown[1],
    Object.entries(options).flatMap(([name, { short }]) => [
      `--${name}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]),
  )
  return meant === undefined ? message : `${unknown[0]}; did you mean '${meant}'?`
}

function levelOf({ quiet, verbose }: Readonly<Record<string, unknown>>): Arguments['level'] {
  if (quiet === true) return 'error'
  if (!Array.isArray(verbose)) return undefined
  return verbose.length > 1 ? 'trace' : 'debug'
}

function portOf(from: string, text: string): Result<number | undefined, Failure> {
  if (text === '' && from === 'PORT') return ok(undefined)
  const port = /^\d+$/.test(text) ? Number(text) : NaN
  return port <= 65_535
    ? ok(port)
    : err(failure('VALIDATION_ERROR', `${from} must be a number from 0 to 65535, not "${text}"`))
}

const parseable = (options: Options) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple === true && { multiple }) },
    ]),
  )

const defaultsOf = (options: Options): CommandContext['options'] =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) =>
      option.default === undefined ? [] : [[name, option.default]],
    ),
  )
