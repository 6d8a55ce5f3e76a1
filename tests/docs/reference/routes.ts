import { routesOf, type DeclaredRoute } from '@amodal/sdk/inspection'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'
import { ROUTE_NOTES } from './route-notes.ts'

interface Row extends DeclaredRoute {
  readonly plugin: string
}

/** Every path that a plugin mounts, with its methods. */
export function routesPage(): string {
  const rows = OWN_PLUGINS.flatMap(({ name: plugin, declared }): readonly Row[] => {
    const routes = routesOf(declared)
    if (!routes.ok) throw new Error(`${plugin}: ${routes.error}`)
    return routes.value.map((route) => ({ ...route, plugin }))
  })
  const names = rows.map(nameOf)
  const wrong = [
    ...names.filter((name) => !(name in ROUTE_NOTES)).map((name) => `${name} has no note`),
    ...Object.keys(ROUTE_NOTES)
      .filter((name) => !names.includes(name))
      .map((name) => `there is no ${name}`),
  ]
  if (wrong.length > 0) throw new Error(`tests/docs/reference/route-notes.ts: ${wrong.join('; ')}`)
  return [
    '# Routes',
    `Every path that the plugins of this repository serve. Bodies, answers and examples stand in [the HTTP API](../http-api.md). *Scope* is
what a credential must be good for ([who can connect](../run-it.md#who-can-connect)); a \`–\` stands for a route that answers everybody. A method
that a path does not offer is answered with \`NOT_ALLOWED\`. \`*\` in the place of a method is every one that the page behind it takes.`,
    table(
      ['Method', 'Path', 'What for', 'Scope', 'Plugin'],
      rows
        .toSorted((a, b) => a.path.localeCompare(b.path, 'en'))
        .map((row) => [
          code(row.method),
          code(row.path),
          ROUTE_NOTES[nameOf(row)] ?? '',
          row.options.open === true ? '–' : code(scopeOf(row, rows)),
          partLink(row.plugin, PLUGIN_NAMES),
        ]),
    ),
  ].join('\n\n')
}

const nameOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`

/** What a credential must be good for: what the route says, or the one above it. */
function scopeOf({ prefix, options, plugin }: Row, all: readonly Row[]): string {
  if (options.scope !== undefined) return options.scope
  const [above] = all
    .filter((other) => prefix.startsWith(`${other.prefix}/`))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  return above === undefined ? plugin : scopeOf(above, all)
}
