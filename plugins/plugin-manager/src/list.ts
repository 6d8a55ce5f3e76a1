import type { Command, Inspection } from '@amodal/sdk'
import { inspectionOf } from '@amodal/sdk/inspection'

/** `amodal plugins list` */
export const listCommand: Command = {
  summary: 'List the plugins that an agent runs with',
  usage: 'amodal plugins list [--dir PATH] [--preset NAME] [--json]',
  about: [
    'In the order in which they are set up: the name, the version, where it is from (the preset, a path or a package), and what it provides: as a server of that folder would have them. Nothing is started for it.',
  ],
  examples: [
    ['amodal plugins list --dir my-agent', 'those of that agent'],
    ['amodal plugins list --json', 'the same as data'],
  ],
  options: { json: { type: 'boolean', description: 'Print the list as JSON' } },
  async run({ start, options, print }) {
    const rows = rowsOf(inspectionOf(await start({ only: [] })))
    if (options['json'] === true) print(JSON.stringify(rows, null, 2))
    else for (const line of table(rows)) print(line)
    return 0
  },
}

interface Row {
  readonly name: string
  readonly version: string
  readonly from: string
  readonly state: string
  readonly provides: readonly string[]
}

const rowsOf = ({ plugins, slots }: Inspection): readonly Row[] =>
  plugins.map(({ name, version, source, state }) => ({
    name,
    version,
    from: source ?? 'preset',
    state,
    provides: slots.filter(({ provider }) => provider === name).map(({ id }) => id),
  }))

function table(rows: readonly Row[]): readonly string[] {
  const widthOf = (column: (row: Row) => string): number =>
    Math.max(...rows.map((row) => column(row).length))
  const [names, versions, froms] = [
    widthOf(({ name }) => name),
    widthOf(({ version }) => version),
    widthOf(({ from }) => from),
  ]
  return rows.map(({ name, version, from, state, provides }) =>
    [
      name.padEnd(names),
      version.padEnd(versions),
      from.padEnd(froms),
      ...(state === 'failed' || state === 'dropped' ? [state] : []),
      provides.join(', '),
    ]
      .join('  ')
      .trimEnd(),
  )
}
