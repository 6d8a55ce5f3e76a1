import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dbPostgres } from '@amodal/plugin-db-postgres'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { explainStart, readFolder } from '@amodal/presets'
import {
  Database,
  definePlugin,
  explain,
  Kernel,
  Migrations,
  use,
  type Entry,
  type MigrationList,
} from '@amodal/sdk'
import { checksumOf, scriptOf } from '@amodal/sdk/database'
import { agentFolder } from '../support/agent-folder.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

/** The migrations that were scripts in a release, as they were then. */
const SCRIPTS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/migrations-as-scripts.json'), 'utf8'),
) as readonly (MigrationList & {
  readonly migrations: readonly { readonly name: string; readonly sql: string }[]
})[]

const signal = new AbortController().signal
let postgres: Postgres
let lists: readonly MigrationList[]
beforeAll(async () => {
  ;[postgres, lists] = await Promise.all([startPostgres(), listsInUse()])
})
afterAll(() => postgres.stop())

/** The lists of a server that has something in the database for every plugin with tables. */
async function listsInUse(): Promise<readonly MigrationList[]> {
  const manifest = { name: 'migrated', models: { main: { provider: 'demo', model: 'demo' } } }
  const { dir, remove } = await agentFolder({ 'amodal.json': JSON.stringify(manifest) })
  const env = { LOG_LEVEL: 'none', DATABASE_URL: 'postgres://localhost/none' }
  const read = await readFolder({ dir, env, preset: 'production' })
  if (!read.ok) throw new Error(explainStart(read.error))
  const kernel = await Kernel.create(read.value.entries, { ...read.value.options, boots: [] })
  if (!kernel.ok) throw new Error(explain(kernel.error))
  const found = [...kernel.value.current().registry(Migrations).values()]
  await kernel.value.close()
  await remove()
  return found
}

const bringing = (list: MigrationList): Entry =>
  use(
    definePlugin({
      name: list.plugin,
      version: '1.0.0',
      requires: { database: Database },
      setup: ({ add }) => add(Migrations, list.plugin, list),
    }),
  )

/** Runs what is missing, and reads with every statement what is there then. */
async function migrated(
  url: string,
  brought: readonly MigrationList[],
  reading: readonly string[],
): Promise<readonly unknown[]> {
  const kernel = await Kernel.create([
    use(secretsEnv, { env: {} }),
    use(dbPostgres, { url }),
    ...brought.map(bringing),
  ])
  if (!kernel.ok) throw new Error(explain(kernel.error), { cause: kernel.error })
  const database = kernel.value.scope.get(Database)
  const answers: unknown[] = []
  for (const sql of reading) {
    const rows = await database.run({ sql, parameters: [] }, signal)
    answers.push(rows.ok ? rows.value : rows.error.message)
  }
  await kernel.value.close()
  return answers
}

const APPLIED = 'select plugin, n, name, checksum, at from amodal_migrations order by plugin, n'
const OWN = 'relnamespace = current_schema()::regnamespace'
const CATALOGUE = [
  `select c.relname, c.relpersistence, c.relrowsecurity, c.reloptions, obj_description(c.oid) as comment from pg_class c where ${OWN} and relkind = 'r' order by 1`,
  `select c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attcollation::regcollation::text as collation, a.attnotnull, a.attidentity,
    pg_get_expr(d.adbin, d.adrelid) as default, col_description(c.oid, a.attnum) as comment
    from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${OWN} and relkind = 'r' and a.attnum > 0 order by 1, 2`,
  `select c.relname, pg_get_indexdef(c.oid) as index from pg_class c where ${OWN} and relkind = 'i' order by 1`,
  `select c.relname, o.conname, pg_get_constraintdef(o.oid) as constraint from pg_constraint o join pg_class c on c.oid = o.conrelid where ${OWN} order by 1, 2`,
  `select c.relname, t.tgname, pg_get_triggerdef(t.oid) as trigger from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${OWN} order by 1, 2`,
  `select proname, pg_get_functiondef(oid) as function from pg_proc where pronamespace = current_schema()::regnamespace order by 1`,
]

test('every list that was released is still there, with migrations behind it at most', () => {
  const now = new Map(lists.map((list) => [list.plugin, list]))
  for (const { plugin, migrations } of SCRIPTS)
    expect(
      now
        .get(plugin)
        ?.migrations.slice(0, migrations.length)
        .map(({ name }) => name),
      plugin,
    ).toEqual(migrations.map(({ name }) => name))
})

/** The migrations of today that were there when they were scripts. */
const asReleased = (): readonly MigrationList[] =>
  lists.map((list) => ({
    ...list,
    migrations: list.migrations.slice(
      0,
      SCRIPTS.find(({ plugin }) => plugin === list.plugin)?.migrations.length ?? 0,
    ),
  }))

describe('migrations that were scripts', () => {
  test('make the tables that the scripts made', async () => {
    const [before, after] = [await postgres.createDatabase(), await postgres.createDatabase()]
    const answers = await migrated(after, asReleased(), CATALOGUE)
    for (const answer of answers.slice(0, 5)) expect(answer).not.toEqual([])
    expect(answers).toEqual(await migrated(before, SCRIPTS, CATALOGUE))
  })

  test('count as applied where the scripts were', async () => {
    const url = await postgres.createDatabase()
    const [before] = await migrated(url, SCRIPTS, [APPLIED])
    const [after] = await migrated(url, asReleased(), [APPLIED])
    expect(after).toEqual(before)
    expect(after).toHaveLength(SCRIPTS.flatMap(({ migrations }) => migrations).length)
  })
})

/**
 * A definition that is compiled to another text has another checksum, unless it names one. Where
 * this fails after an update of Kysely, databases of plugins elsewhere would be refused.
 */
test('definitions are compiled to the text that they always were', () => {
  const texts = lists.flatMap(({ plugin, migrations }) =>
    migrations.flatMap((migration, at) =>
      'define' in migration ? [`${plugin} ${at + 1} ${checksumOf(scriptOf(migration))}`] : [],
    ),
  )
  expect(texts.sort()).toMatchInlineSnapshot(`
    [
      "agent-runs 1 2716047311b2ddc73b337de45f9b378c1ca1036b723a35a6e19544002d6696c5",
      "agent-runs 2 0b1744ca947aa5ba1f565f5d00b22cd8e76dbee2fa4adb9d4c37a1c1a6dca468",
      "agent-runs 3 76533727a0e31e443f12b5cf38aaad981708d319a853e1bb500a01baafe42e0f",
      "agent-runs 4 001331cd50bbc2ef0c3b3bbc9858013f748144eedc30e61d82de0c7838b21649",
      "assets 1 3a0330a80c32600f18c5f630cf5510b221f4ccc19fed7c12046b32bc90c4fbac",
      "assets 2 63d8752bae5c26c0fc52e4d48780c6608ca3f28684ab3ebfcae0e3295f94c3ef",
      "audit 1 171e77cc31abe516bc45150039b993af6fe1cf12bbaa5438826091388471c283",
      "audit 2 69c9e1e2ed545a20c2e92bd502e2ea829b8c6398a1704a0911219628e11d38be",
      "audit 3 f671d2d7920f5eac64253d2bbb3f6af7801e4337936e481688ee6f7b81015d6a",
      "auth 1 abc2a5085d9fdef5932ed820e408a494b069710a5a2677cd18aa2c123af89629",
      "automations 1 d463fae31c4e65134bf36b0c56167f93101851e55cb96515d7f17093d3e93107",
      "automations 2 8c17e9fd9c10055f46e4892d5317229fdf06460bdab9d224550a84b1469cadc1",
      "automations 3 cabee31cea74e36d6d5ac2c89297c0d8610660b09ee61dac5a6f0f2e28a3c94d",
      "automations 4 7637f479ff068bc27045e37bbee12baf9e596ad1f3d7539d249f342404ef5984",
      "connect-mcp 1 0d3e803b00c9d1bd9e456423f66805a61fb422eb0845274842fcc6ed0f4ac06a",
      "deploy 1 aff691241d1537246b03af63cb60dbc33eb9f2c2aa8ed748e1d3fbf4f4cbd088",
      "evals 1 a94fefe4754798c7d0d17893895b9091398898edb244a746ca173382f69cba48",
      "experiments 1 4daedb73c388a799a7bd9b051bc2c3a419e9a26551c3e75a8a3ee2f7c4c58cd1",
      "feedback 1 c0b032241018c05ab7c6ec7149d9dd5925e7ff501bd77c69c8931f783fbfec88",
      "knowledge 1 81cc6e3cc372541972eb2fae454f2cb8eb6f7461f76b18e19e6da9e790e6f27a",
      "limits 1 aeced443878f1fde017e7d14a3ce9203eaa1de020b88b2382a02f57b28d112ae",
      "limits 2 03b217c6d94da15c7d450b44da9d4f312bd9e306432c70482a0947cf29423fad",
      "memory 1 0ea07c735a1228445b1dd70bc61fb5f26e003e53414e663cb17e265f3e382e6e",
      "queue-database 1 13d6a4ea0eb776db2bfa8c0b38ce48506236fa9ade1893b9bb1a37b6f674beee",
      "queue-database 2 a15a52596fa17b8e7298d551e72ed2491c2406811a5e7d27127a9f57605522fa",
      "sessions 1 3daafee42f4b2d496f00103f483bea2ebc826c6eb7f1db7f4a0289bd8bd35b89",
      "sessions 10 5a93b3b6097bce64068440172e2eca9ab75ca25bdf15f63dad8b99622fcf7b13",
      "sessions 11 baa22ae8d4b110d43341de8e1e2598d23a0e01b82ae81bfb09db4f3e70d02cf8",
      "sessions 12 79b03e793bcb7ec9d5a80a3a8b6fc9f32f6d5d8d47b7039606c9518d3f6f73ec",
      "sessions 2 76d31a0c2cf2c05812763788f8b998f9fad3898d0e10dbd9d105ec305ffa5665",
      "sessions 3 55cde440f76c67e48083d559fdb1019e27bdecad023f6c5310e616f8f3a7e284",
      "sessions 4 135ca8d89aa360db9850678c2e9e21a8ea1cc5b23dc86cd0ab675b5a93d8cad1",
      "sessions 5 0db9fcc2ad8ab2562b3173af98048f0732ac0cf4c43e0719f4f929e58a2f5695",
      "sessions 6 f3d4d233b71e8475cd6eb8141daa604c3a50ffef068070b909eaf0f75573489f",
      "sessions 7 67e1bec9f558b31c044ae9ca41627d2d50a1ac9f0f6d745d36f8ceb42eb27905",
      "sessions 8 a806dd8bf2e7b1928bcf3ccf25137c9529d5e7fdee2d0985a88af25df27feb0b",
      "sessions 9 cdf092f05cd506f0f911113ff50d92d99e918195707a575a7944e6807e3caea7",
      "stores-database 1 c69921e88b99ac82dbd83ec30ca7dbda1331458c965d458e1063b834898c772b",
      "stores-database 2 8d6835f0ba893ebab58477c401827fe3b4b48ea545af8ac7761056010168f0e6",
      "stores-database 3 21c0602331a162cc9496c81cd91d4b6244ea683d141617e1fc046d5b2c35e35f",
      "stores-database 4 11fdea8af7cced083117242b7e0adb909d016fb02d0751c3474d7d2ce8d17deb",
      "stores-database 5 ccc73b7e9e1faa7e3976ae0b0597b0875c2be6b593a3dffc2f3e50f2e77afa78",
      "tools-versions 1 182c68caad283d793c240183cc1e13b8e8fa9b619e103b6f7986b288ab8280ea",
      "tools-versions 2 fd36ac53208e2fb937061b8518107c7ab7c6d8d43224eed9a90fa0fb4d792c45",
      "usage 1 4d970fb59f41ba7bbc48a923d500751789c607acd4a9d565614e9dba241604c8",
      "usage 2 f6c8a858e2e4472d62d32123bf38f7193bbaf1ed365f2e381a7b5a51d6944b21",
      "usage 3 59737bf219379495bcf51c207d611359ab8e79e4af983b94dfc8340f3a13e55f",
      "workspace 1 f4c00c5195acdb623f426e4edbd7b88bd603d9d041991ca9f587878819814f43",
    ]
  `)
})
