import { Database, unwrap } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { serving } from './support/serving.ts'

const messageOf = ({ message }: { readonly message: string }): string => message
const limit = (): AbortSignal => AbortSignal.timeout(120_000)

/** 10,000 invocations of acme, and as many of bolt with the same words; every 500th has `rare`. */
const FILL = `
insert into tools_versions_invocation (tenant, id, tool, version, at, mode, source, principal, status, input, output)
select t, 'inv_' || n, 'tool_' || n % 500, '1.0.0', now() - n * interval '1 second', 'regular', 'api', 'ann', 'succeeded', '{}',
  json_build_object('order', n, 'note', repeat('word' || n % 97 || ' ', 40), 'rare', case when n % 500 = 0 then 'needle' else 'hay' end)::text
from generate_series(1, 10000) n, unnest(array['acme', 'bolt']) t`

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

test(
  '10,000 invocations are searched within twice the time of an indexed list',
  { tags: ['speed'] },
  async () => {
    const server = await serving()
    const database = server.kernel.scope.get(Database)
    unwrap(await database.run({ sql: FILL, parameters: [] }, limit()), messageOf)
    unwrap(
      await database.run({ sql: 'analyze tools_versions_invocation', parameters: [] }, limit()),
      messageOf,
    )
    const timed = async (path: string): Promise<number> => {
      const before = performance.now()
      const { status, body } = await server.get(path)
      const ms = performance.now() - before
      expect([status, (body['invocations'] as unknown as readonly object[]).length]).toEqual([
        200, 20,
      ])
      return ms
    }
    const [listed, searched]: [number[], number[]] = [[], []]
    for (let n = 0; n < 60; n++) {
      listed.push(await timed('/invocation?tool_id=tool_7'))
      searched.push(await timed('/invocation/search?query=needle'))
    }
    const [list, search] = [median(listed.slice(10)), median(searched.slice(10))]
    expect(search / list, `${search} ms for ${list} ms`).toBeLessThan(2)
  },
)
