import { ok, type Json, type JsonObject, type Plugin, type Result } from '@amodal/kernel'
import { z } from 'zod'
import { EventKinds } from '../define-event.ts'
import { ErrorKinds } from '../errors.ts'
import { isList, isObject } from '../json.ts'
import { Commands } from '../ports/command.ts'
import { declarationsOf, entriesOf, routesOf, type Declarations } from './declarations.ts'
import { manifestFor, type Listed } from './plugin-manifest.ts'

/** What a page says of a plugin that its code does not. */
export interface PageContext {
  /** The sentence of its package.json. */
  readonly description: string
  /** The package that it is imported from. */
  readonly package: string
  /** Presets that list it. */
  readonly presets?: readonly string[]
  /** Where the page that people have written is, as a link of this page. */
  readonly readme?: string
}

const KINDS: Readonly<Record<keyof Listed, string>> = {
  requires: 'Uses',
  provides: 'Provides',
  decorates: 'Wraps',
  taps: 'Taps',
  adds: 'Adds to',
  hosts: 'Sends requests to',
  secrets: 'Reads the secrets',
  files: 'Opens the files',
  processes: 'Starts the programs',
  tables: 'Makes the tables',
  routes: 'Serves the routes',
}

/**
 * The reference page of a plugin in Markdown, made from its own declarations: its config, the slots
 * and registries it uses and fills, the hooks it taps, its errors, events, routes and commands.
 *
 * @param config one that its schema takes, where it takes no empty one
 * @returns the page; a sentence if its `setup` fails with this config
 * @example
 * const page = pluginPage(memory, { description: 'Facts.', package: '@amodal/plugin-memory' })
 */
export function pluginPage(
  plugin: Plugin,
  { description, package: name, presets = [], readme }: PageContext,
  config: unknown = {},
): Result<string, string> {
  const manifest = manifestFor(plugin, config)
  if (!manifest.ok) return manifest
  const declared = declarationsOf(plugin, config)
  if (!declared.ok) return declared
  const routes = routesOf(declared.value)
  if (!routes.ok) return routes
  const rows = Object.entries(KINDS).flatMap(([kind, title]) => {
    const ids = manifest.value.capabilities[kind as keyof Listed] // a key of KINDS
    return ids.length === 0 ? [] : [[title, ids.map(code).join(', ')]]
  })
  const facts = [
    ['Package', code(name)],
    ['Version', `${plugin.version}, for kernel ${manifest.value.kernel}`],
    ...(presets.length > 0 ? [['Presets', presets.map(code).join(', ')]] : []),
    ['On reload', code(plugin.reload)],
    ...rows,
  ]
  return ok(
    [
      `# ${plugin.name}`,
      description,
      ...(readme === undefined ? [] : [`How it is used: [its page](${readme}).`]),
      table(['', ''], facts),
      '## Config',
      configTable(plugin),
      ...section(
        'Routes',
        ['Method', 'Path'],
        routes.value.map(({ method, path }) => [code(method), code(path)]),
      ),
      ...declaredSections(declared.value),
    ].join('\n\n') + '\n',
  )
}

function declaredSections(declared: Declarations): readonly string[] {
  const events = entriesOf(declared, EventKinds)
  return [
    ...section(
      'Commands',
      ['Command', ''],
      [...entriesOf(declared, Commands)].map(([name, { summary }]) => [
        code(`amodal ${name}`),
        summary,
      ]),
    ),
    ...section(
      'Errors',
      ['Code', 'Status', 'What has happened', 'What to do'],
      [...entriesOf(declared, ErrorKinds).values()].map(({ code: name, status, about, fix }) => [
        code(name),
        status === 500 ? '–' : String(status),
        about,
        fix,
      ]),
    ),
    ...section(
      'Events',
      ['Type', 'In', 'When'],
      [...events.values()].map(({ type, in: where, about }) => [
        code(type),
        where === 'session' ? 'the stream of a conversation' : code('GET /api/events'),
        about,
      ]),
    ),
  ]
}

/** A heading and its table; nothing where there is nothing to list. */
const section = (
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] => (rows.length === 0 ? [] : [`## ${title}`, table(head, rows)])

function configTable(plugin: Plugin): string {
  if (!plugin.config) return 'None.'
  const schema = JSON.parse(
    JSON.stringify(z.toJSONSchema(plugin.config, { io: 'input', unrepresentable: 'any' })),
  ) as Json // of a schema
  const rows = isObject(schema) ? fieldsOf(schema, '') : []
  return rows.length === 0 ? 'None.' : table(['Field', 'Type', 'Default', ''], rows)
}

/** A row for each field; those of an object stand behind it, under its name. */
function fieldsOf(schema: JsonObject, before: string): readonly (readonly string[])[] {
  const { properties = {}, required = [] } = schema
  if (!isObject(properties)) return []
  const needed = isList(required) ? required : []
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isObject(field)) return []
    const inner = fieldsOf(field, `${before}${name}.`)
    return [
      [
        code(`${before}${name}`),
        typeOf(field),
        defaultOf(field, needed.includes(name)),
        typeof field['description'] === 'string' ? field['description'] : '',
      ],
      ...inner,
    ]
  })
}

function defaultOf(field: JsonObject, isRequired: boolean): string {
  if ('default' in field) return code(JSON.stringify(field['default']))
  return isRequired ? 'required' : '–'
}

function typeOf(field: JsonObject): string {
  const { type, enum: values, anyOf, const: constant, items } = field
  if (constant !== undefined) return code(JSON.stringify(constant))
  if (isList(values)) return values.map((value) => code(JSON.stringify(value))).join(', ')
  if (isList(anyOf))
    return [...new Set(anyOf.map((one) => (isObject(one) ? typeOf(one) : 'any')))].join(' or ')
  if (type === 'array') return `list of ${isObject(items) ? typeOf(items) : 'any'}`
  return typeof type === 'string' ? type : 'any'
}

const code = (text: string): string => `\`${text}\``
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
