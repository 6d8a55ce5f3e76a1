import { defineBundle, type AgentBundle, type JsonObject } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { readTemplates, templatesOf } from '../src/template.ts'

const bundleOf = (panels: JsonObject): AgentBundle => {
  const bundle = defineBundle({ name: 'clinic' })
  const rank = { name: 'rank', schema: { type: 'integer' }, default: 1, scope: 'session' }
  const declaration = { properties: [{ ...rank, visibility: 'public', write: [] }], digest: '1' }
  return {
    ...bundle,
    manifest: { ...bundle.manifest, raw: { panels } },
    parts: { 'live-state': declaration },
  }
}
const issuesOf = async (panels: JsonObject): Promise<readonly string[]> =>
  ((await readTemplates(bundleOf(panels)))?.issues ?? []).map(({ message }) => message)

test('takes a template with defaults', async () => {
  const bundle = await readTemplates(bundleOf({ doctors: { set: ['rank'] } }))
  expect(bundle?.issues).toEqual([])
  expect(templatesOf(bundle)).toEqual([
    {
      name: 'doctors',
      description: '',
      instructions: null,
      state: {},
      set: ['rank'],
      tools: null,
      maxMembers: 50,
      parallel: 8,
    },
  ])
})

test.each([
  [{ 'a b': {} }, '"a b" is no name for a panel'],
  [{ doctors: { instructions: '{{ state.speciality }}' } }, 'No such key: speciality'],
  [{ doctors: { set: ['level'] } }, 'the state has no property "level"'],
  [{ doctors: { state: { rank: 'high' } } }, 'state.rank: does not fit its schema'],
  [{ doctors: { agent: 'specialist' } }, 'there is no agent "specialist" in agents/'],
  [{ doctors: { maxMembers: 1_000 } }, 'panels.doctors.maxMembers'],
])('names what is wrong with %j', async (panels, message) => {
  expect(await issuesOf(panels)).toContainEqual(expect.stringContaining(message))
})
