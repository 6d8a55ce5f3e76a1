import type { Command, CommandOption } from '@amodal/sdk'
import { GLOBAL } from './arguments.ts'

const line = (left: string, right: string, width = 22): string => `  ${left.padEnd(width)} ${right}`

function optionLines(options: Readonly<Record<string, CommandOption>>): readonly string[] {
  return Object.entries(options).map(([name, { type, short, description }]) =>
    line(
      `${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'string' ? ' …' : ''}`,
      description,
    ),
  )
}

/** A first agent, from nothing to an answer. */
const FIRST_STEPS = [
  ['init my-agent', 'makes the folder of an agent'],
  ['validate --dir my-agent', 'checks it'],
  ['chat --dir my-agent', 'talks to it; without a key, a demo model answers'],
  ['dev --dir my-agent', 'serves it on http://127.0.0.1:3847'],
] as const

const STEP = Math.max(...FIRST_STEPS.map(([step]) => step.length + 2))

export const EXIT_CODES = [
  '0  done',
  '1  it failed',
  '2  the command line was wrong',
  '130  it was interrupted (Ctrl-C)',
]

/** What `amodal` says without a command. */
export function overview(commands: ReadonlyMap<string, Command>, program: string): string {
  const sorted = [...commands].sort(([a], [b]) => a.localeCompare(b))
  const width = Math.max(...sorted.map(([name]) => name.length + 1))
  return [
    `${program} <command> [options]`,
    '',
    'An agent is a folder of files. A first one:',
    ...FIRST_STEPS.filter(([step]) => commands.has(step.split(' ', 1)[0] ?? '')).map(
      ([step, does]) => line(`${program} ${step}`, does, program.length + STEP),
    ),
    '',
    'Commands:',
    ...sorted.map(([name, { summary }]) => line(name, summary, width)),
    '',
    'Options of every command:',
    ...optionLines(GLOBAL),
    '',
    `Exit codes: ${EXIT_CODES.join('; ')}.`,
    '',
    `\`${program} <command> --help\` says more.`,
  ].join('\n')
}

export function commandHelp(
  name: string,
  { about = [], examples = [], options, summary, usage }: Command,
  program: string,
): string {
  const here = (text: string): string => text.replace(/^amodal(?= |$)/, program)
  const width = Math.max(0, ...examples.map(([typed]) => here(typed).length + 1))
  return [
    `${here(`amodal ${name}`)}: ${summary}`,
    ...(about.length > 0 ? ['', ...about] : []),
    '',
    `Usage: ${here(usage)}`,
    ...(examples.length > 0
      ? ['', 'Examples:', ...examples.map(([typed, does]) => line(here(typed), does, width))]
      : []),
    '',
    'Options:',
    ...optionLines({ ...options, ...GLOBAL }),
  ].join('\n')
}
