import { completionCommand, docsCommand, EXIT_CODES, GLOBAL } from '@amodal/presets/cli'
import { Commands, type Command, type CommandOption } from '@amodal/sdk'
import { entriesOf } from '@amodal/sdk/inspection'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'

/** Every command of `amodal`, with its options and examples. */
export function commandsPage(): string {
  const ofPlugins = OWN_PLUGINS.flatMap(({ name: plugin, declared }) =>
    [...entriesOf(declared, Commands)].map(([name, command]) => ({
      name,
      command,
      plugin: partLink(plugin, PLUGIN_NAMES),
    })),
  )
  const own = [
    { name: 'completion', command: completionCommand(new Map()), plugin: '' },
    { name: 'docs', command: docsCommand(undefined), plugin: '' },
  ]
  const commands = [...ofPlugins, ...own].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  return [
    '# The command line',
    `What \`amodal <command> --help\` says of each command. In a clone \`npm run amodal --\` stands in the place of \`amodal\`. Commands come
from plugins, so an agent has those of the plugins that it lists; [run it](../run-it.md#the-command-line) says which to begin with.`,
    table(
      ['Command', 'What it does', 'Plugin'],
      commands.map(({ name, command, plugin }) => [
        `[\`${name}\`](#${anchorOf(name)})`,
        command.summary,
        plugin,
      ]),
    ),
    '## Options of every command',
    optionTable(GLOBAL),
    `Exit codes: ${EXIT_CODES.join('; ')}.`,
    ...commands.map(({ name, command }) => commandText(name, command)),
  ].join('\n\n')
}

const anchorOf = (name: string): string => `amodal-${name.replaceAll(' ', '-')}`

function commandText(
  name: string,
  { summary, usage, about = [], examples = [], options }: Command,
): string {
  return [
    `## amodal ${name}`,
    `${summary}.`.replace(/([.!?])\.$/, '$1'),
    ...(about.length > 0 ? [about.map(plain).join('\n')] : []),
    `Usage: ${code(usage)}`,
    ...(Object.keys(options).length > 0 ? [optionTable(options)] : []),
    ...(examples.length > 0
      ? [
          table(
            ['Example', ''],
            examples.map(([line, does]) => [code(line), does]),
          ),
        ]
      : []),
  ].join('\n\n')
}

/** A line of a help text, without what Markdown would take for something else. */
const plain = (line: string): string => line.replaceAll(/[<*_]/g, '\\$&')

const optionTable = (options: Readonly<Record<string, CommandOption>>): string =>
  table(
    ['Option', '', 'Default'],
    Object.entries(options).map(([name, { type, short, description, default: preset }]) => [
      [
        ...(short === undefined ? [] : [code(`-${short}`)]),
        code(`--${name}${type === 'string' ? ' …' : ''}`),
      ].join(', '),
      description,
      preset === undefined ? '' : code(String(preset)),
    ]),
  )
