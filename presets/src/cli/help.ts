import type { Command, CommandOption } from '@amodal/sdk'
import { GLOBAL } from './arguments.ts'

const line = (left: string, right: string): string => `  ${left.padEnd(22)} ${right}`

function optionLines(options: Readonly<Record<string, CommandOption>>): readonly string[] {
  return Object.entries(options).map(([name, { type, short, description }]) => line(`${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'string' ? ' …' : ''}`, description))
}

/** What `amodal` says without a command. */
export function overview(commands: ReadonlyMap<string, Command>): string {
  return [
    'amodal <command> [options]', '', 'Commands:',
    ...[...commands].sort(([a], [b]) => a.localeCompare(b)).map(([name, { summary }]) => line(name, summary)),
    '', 'Options of every command:', ...optionLines(GLOBAL), '', '`amodal <command> --help` says more.',
  ].join('\n')
}

export function commandHelp(name: string, command: Command): string {
  return [`amodal ${name}: ${command.summary}`, '', `Usage: ${command.usage}`, '', 'Options:', ...optionLines({ ...command.options, ...GLOBAL })].join('\n')
}
