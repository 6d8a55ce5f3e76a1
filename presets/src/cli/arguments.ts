import { parseArgs } from 'node:util'
import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/kernel'
import type { Command, CommandContext, CommandOption } from '@amodal/sdk'

/** Options every command understands. */
export const GLOBAL: Readonly<Record<string, CommandOption>> = {
  dir: { type: 'string', description: 'folder of the agent', default: '.' },
  preset: { type: 'string', description: 'embedded, dev or production, where amodal.json names none' },
  port: { type: 'string', short: 'p', description: 'port to listen on (PORT; 3847)' },
  host: { type: 'string', description: 'address to listen on (127.0.0.1)' },
  verbose: { type: 'boolean', short: 'v', description: 'more log; -vv for all of it', multiple: true },
  quiet: { type: 'boolean', short: 'q', description: 'errors only' },
  help: { type: 'boolean', short: 'h', description: 'this text' },
}

export interface Parsed {
  readonly options: CommandContext['options']
  readonly arguments: readonly string[]
  readonly dir: string
  readonly port: number | undefined
  readonly host: string | undefined
  readonly preset: string | undefined
  readonly level: string | undefined
  readonly help: boolean
}

/** Reads what stands behind a command's name. */
export function parseCommand(argv: readonly string[], command: Command | undefined, env: Readonly<Record<string, string | undefined>>): Result<Parsed, Failure> {
  const all = { ...GLOBAL, ...command?.options }
  const options = Object.fromEntries(Object.entries(all).map(([name, option]) => [name, {
    type: option.type, ...(option.short === undefined ? {} : { short: option.short }), ...(option.multiple ? { multiple: true } : {}),
  }]))
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: command !== undefined })
    const text = (name: string): string | undefined => { const value = values[name]; return typeof value === 'string' ? value : undefined }
    const port = portOf(text('port') ?? env['PORT'])
    if (port === 'bad') return err(failure('VALIDATION_ERROR', `--port: must be a number from 0 to 65535, not "${text('port') ?? env['PORT'] ?? ''}"`))
    const loud = Array.isArray(values['verbose']) ? values['verbose'].length : 0
    return ok({
      options: { ...defaults(all), ...values }, arguments: positionals, dir: text('dir') ?? '.', port, host: text('host'), preset: text('preset'),
      level: values['quiet'] === true ? 'error' : loud > 1 ? 'trace' : loud === 1 ? 'debug' : undefined, help: values['help'] === true,
    })
  } catch (cause) {
    return err(failure('VALIDATION_ERROR', messageOf(cause)))
  }
}

function portOf(text: string | undefined): number | undefined | 'bad' {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : 'bad'
}

function defaults(options: Readonly<Record<string, CommandOption>>): CommandContext['options'] {
  return Object.fromEntries(Object.entries(options).flatMap(([name, option]) => (option.default === undefined ? [] : [[name, option.default]])))
}
