import { expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

test('a field that cannot be told from our own parameter is refused by `validate`', async () => {
  const store = (trace: boolean) => ({
    trace,
    entity: {
      key: '{id}',
      schema: { id: { type: 'string' }, _reasoning: { type: 'string' } },
    },
  })
  await using traced = await folder({
    'amodal.json': { name: 'tiny' },
    'stores/notes.json': store(true),
  })
  const { code, out } = await amodal(['validate', '--dir', traced.dir])
  expect(code).toBe(1)
  expect(out).toMatch(
    /stores\/notes\.json:\d+ {2}the field "_reasoning" has the name of the parameter [^]*another name, or remove "trace"/,
  )
  await using plain = await folder({
    'amodal.json': { name: 'tiny' },
    'stores/notes.json': store(false),
  })
  expect((await amodal(['validate', '--dir', plain.dir])).out).not.toContain('_reasoning')
})

test('names that meet are told by `validate` with both files', async () => {
  const store = { entity: { key: '{id}', schema: { id: { type: 'string' } } } }
  await using here = await folder({
    'amodal.json': { name: 'tiny' },
    'stores/orders.json': store,
    'stores/orders-batch.json': store,
    'stores/notes.json': store,
    'tools/store_notes/tool.json': { description: 'Is made by hand.', confirm: false },
    'tools/store_notes/handler.ts': 'export default () => ({})',
    'connections/crm/spec.json': { protocol: 'mcp', command: 'true' },
    'connections/crm__eu/spec.json': { protocol: 'mcp', command: 'true' },
    'agents/Plan/AGENT.md': 'You plan.',
  })
  const { code, out } = await amodal(['validate', '--dir', here.dir, '--skip-test'])
  expect(code).toBe(1)
  for (const [file, name, by] of [
    ['stores/orders.json', 'store_orders_batch', 'stores/orders-batch.json'],
    ['tools/store_notes/tool.json', 'store_notes', 'stores/notes.json'],
    ['connections/crm__eu/spec.json', 'crm__eu__…', 'connections/crm/spec.json'],
    ['agents/Plan/AGENT.md', 'Plan', 'the agent "plan", which is always there'],
  ] as const)
    expect(out).toMatch(
      new RegExp(`${file}:?\\d* .*makes the name "${name}", which is taken by ${by}; this one`),
    )
})
