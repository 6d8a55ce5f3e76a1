import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Migrations, type MigrationList } from '@amodal/sdk'
import { scriptOf } from '@amodal/sdk/database'
import { entriesOf } from '@amodal/sdk/inspection'
import ts from 'typescript'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'
import { ROOT } from '../pages.ts'
import { TABLE_NOTES } from './table-notes.ts'

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly preset: string | null
  readonly comment: string | null
}
interface Index {
  readonly table: string
  readonly primary: boolean
  readonly text: string
}
interface Catalogue {
  readonly tables: readonly string[]
  readonly columns: readonly Column[]
  readonly indexes: readonly Index[]
}

const TABLES = `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by oid`
const COLUMNS = `
select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
  case when a.attidentity <> '' then 'identity' else pg_get_expr(d.adbin, d.adrelid) end as preset, col_description(c.oid, a.attnum) as comment
from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped order by c.oid, a.attnum`
const INDEXES = `
select t.relname as "table", i.indisprimary as primary, pg_get_indexdef(i.indexrelid) as text
from pg_index i join pg_class t on t.oid = i.indrelid where t.relnamespace = 'public'::regnamespace order by i.indexrelid`

/** Every table that plugins keep in the database, as their migrations leave it. */
export async function tablesPage(): Promise<string> {
  const lists = OWN_PLUGINS.flatMap(({ declared }) => [...entriesOf(declared, Migrations).values()])
  const found = await cataloguesOf(lists)
  const names = [...found.values()].flatMap(({ tables }) => tables)
  const wrong = [
    ...names.filter((name) => !(name in TABLE_NOTES)).map((name) => `${name} has no note`),
    ...Object.keys(TABLE_NOTES)
      .filter((name) => !names.includes(name))
      .map((name) => `there is no ${name}`),
  ]
  if (wrong.length > 0) throw new Error(`tests/docs/reference/table-notes.ts: ${wrong.join('; ')}`)
  return [
    '# Tables',
    `What plugins keep in the database ([PGlite](../plugins/db-pglite.md) or [PostgreSQL](../plugins/db-postgres.md)), as their migrations
leave it. The names of tables begin with the name of their plugin. A table that is *of one tenant* is under row security: a session
of the database sees the rows of its tenant and no others. Besides these there is \`amodal_migrations\`, which lists the migrations that were made.`,
    ...[...found].map(([list, catalogue]) => pluginText(list, catalogue)),
  ].join('\n\n')
}

/** What the migrations of each plugin make, in one database that begins empty. */
async function cataloguesOf(
  lists: readonly MigrationList[],
): Promise<ReadonlyMap<MigrationList, Catalogue>> {
  const database = await PGlite.create()
  const catalogues = new Map<MigrationList, Catalogue>()
  const known = new Set<string>()
  try {
    for (const list of lists) {
      for (const migration of list.migrations) await database.exec(scriptOf(migration))
      const { rows: tables } = await database.query<{ readonly name: string }>(TABLES)
      const { rows: columns } = await database.query<Column>(COLUMNS)
      const { rows: indexes } = await database.query<Index>(INDEXES)
      const added = tables.map(({ name }) => name).filter((name) => !known.has(name))
      added.forEach((name) => known.add(name))
      catalogues.set(list, { tables: added, columns, indexes })
    }
    return catalogues
  } finally {
    await database.close()
  }
}

function pluginText(
  { plugin, migrations, tenantTables }: MigrationList,
  { tables, columns, indexes }: Catalogue,
): string {
  const notes = columnNotes(plugin)
  return [
    `## ${plugin}`,
    `Of ${partLink(plugin, PLUGIN_NAMES)}. Migrations: ${migrations.map(({ name }) => name).join('; ')}.`,
    ...tables.flatMap((name) => [
      `### ${name}`,
      `${TABLE_NOTES[name]}${tenantTables.includes(name) ? ' Of one tenant.' : ''}`,
      table(
        ['Column', 'Type', 'Default', ''],
        columns
          .filter((column) => column.table === name)
          .map((column) => columnRow(column, notes.get(`${name}.${column.name}`))),
      ),
      indexes
        .filter((index) => index.table === name)
        .map(indexLine)
        .join('\n'),
    ]),
  ].join('\n\n')
}

const columnRow = (
  { name, type, required, preset, comment }: Column,
  note: string | undefined,
): readonly string[] => [
  code(name),
  `${type}${required ? '' : ', or null'}`,
  preset === null ? '' : code(preset),
  note ?? (comment === null ? '' : sentence(comment)),
]

function indexLine({ primary, text }: Index): string {
  const [, what = text] = /USING \w+ (.*)$/.exec(text) ?? []
  return `- ${primary ? 'primary key' : 'index'} ${code(what)}`
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

/** The comments of the interface `Tables` in the plugin's `tables.ts`, by table and column. */
function columnNotes(plugin: string): ReadonlyMap<string, string> {
  const file = `plugins/${plugin}/src/tables.ts`
  const tree = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const notes = new Map<string, string>()
  for (const statement of tree.statements) {
    if (!ts.isInterfaceDeclaration(statement) || statement.name.text !== 'Tables') continue
    for (const member of statement.members.filter(ts.isPropertySignature)) {
      const columns = member.type && ts.isTypeLiteralNode(member.type) ? member.type.members : []
      for (const column of columns) {
        if (!ts.isPropertySignature(column)) continue
        const [comment] = ts.getJSDocCommentsAndTags(column)
        const text = comment && ts.getTextOfJSDocComment(comment.comment)
        if (text !== undefined)
          notes.set(
            `${member.name.getText(tree)}.${column.name.getText(tree)}`,
            text.replaceAll(/\s+/g, ' '),
          )
      }
    }
  }
  return notes
}
