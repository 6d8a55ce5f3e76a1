import { routesOf, type DeclaredRoute } from '@amodal/sdk/inspection'
import { docsOf, type RouteDoc } from '@amodal/plugin-http/tokens'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'

interface Row extends DeclaredRoute {
  readonly plugin: string
  readonly summary: string | undefined
}

/** Every path that a plugin mounts, with its methods. */
export function routesPage(): string {
  const rows = OWN_PLUGINS.flatMap(({ name: plugin, declared }): readonly Row[] => {
    const routes = routesOf(declared)
    if (!routes.ok) throw new Error(`${plugin}: ${routes.error}`)
    return routes.value.flatMap((route) => rowsOf(route, plugin))
  })
  const bare = rows.filter(({ summary }) => summary === undefined)
  if (bare.length > 0)
    throw new Error(
      `not described with describeRoutes: ${bare.map(({ method, path }) => `${method} ${path}`).join('; ')}`,
    )
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
          row.summary ?? '',
          row.options.open === true ? '–' : code(scopeOf(row, rows)),
          partLink(row.plugin, PLUGIN_NAMES),
        ]),
    ),
  ].join('\n\n')
}

/** A row per method: a handler that is no Hono app has those that it describes. */
function rowsOf(route: DeclaredRoute, plugin: string): readonly Row[] {
  const docs = new Map(Object.entries<RouteDoc>(docsOf(route.handler)))
  if (route.method !== '*' || docs.size === 0)
    return [{ ...route, plugin, summary: docs.get(`${route.method} ${route.path}`)?.summary }]
  return [...docs]
    .map(([name, { summary }]) => {
      const [method = '', path = ''] = name.split(' ')
      return { ...route, plugin, method, path, summary }
    })
    .filter(({ path }) => path === route.path || path.startsWith(`${route.path}/`))
}

/** What a credential must be good for: what the route says, or the one above it. */
function scopeOf({ prefix, options, plugin }: Row, all: readonly Row[]): string {
  if (options.scope !== undefined) return options.scope
  const [above] = all
    .filter((other) => prefix.startsWith(`${other.prefix}/`))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  return above === undefined ? plugin : scopeOf(above, all)
}
