import { Database, unwrap } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { CodeFolders } from '../src/running/code-folders.ts'
import { cleanUp } from '../src/storage/clean-up.ts'
import { code, project, serving, temporaryFolder } from './support/serving.ts'

const messageOf = ({ message }: { readonly message: string }): string => message

test('old invocations go, and the code of versions that were deprecated long ago', async () => {
  const server = await serving()
  const database = server.kernel.scope.get(Database)
  const run = async (sql: string) =>
    unwrap(await database.run({ sql, parameters: [] }, AbortSignal.timeout(10_000)), messageOf)
  const id = await server.tool('check_order')
  for (const body of ['return 1', 'return 2', 'return 3']) {
    server.repo.commit('acme', 'main', project('check_order', code(body)))
    await server.publish(id)
  }
  await server.invoke(id, '1.0.0', { order: 1 })
  await server.invoke(id, '1.0.0', { order: 2 })
  await run(
    `update tools_versions_invocation set at = now() - interval '91 days' where input like '%1%'`,
  )
  for (const version of ['1.0.0', '1.0.1']) await server.remove(`/${id}/version/${version}`)
  await run(
    `update tools_versions_version set deprecated_at = now() - interval '31 days' where patch = 0`,
  )
  const round = cleanUp({
    database,
    folders: new CodeFolders(await temporaryFolder()),
    clock: { now: () => Date.now() },
    retentionDays: 90,
    archiveDays: 30,
    warn: (error) => expect.unreachable(error.message),
  })
  expect(await round(AbortSignal.timeout(60_000))).toBe(false)
  const versions = `select patch from tools_versions_archive a join tools_versions_version v on v.archive = a.hash order by 1`
  expect(await run(versions)).toEqual([{ patch: 1 }, { patch: 2 }])
  expect((await server.get('/invocation')).body['invocations']).toMatchObject([
    { input_parameters: { order: 2 } },
  ])
})
